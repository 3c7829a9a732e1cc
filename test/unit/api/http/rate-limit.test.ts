import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RATE_WINDOW_SECONDS, RateLimit } from '../../../../api/http/limits/rate-limit.ts';
import { OverRateError } from '../../../../shared/limits/fair-rate.ts';
import { freePort } from '../../../../shared/local/free-port.ts';
import { anyResponse } from '../../../support/any-response.ts';

test('calls up to the quota are within the limit, each further one is over it', async () => {
  const limit = new RateLimit('within', 2, null);
  expect(await limit.count('a')).toMatchObject({ remaining: 1, isOver: false });
  expect(await limit.count('a')).toMatchObject({ remaining: 0, isOver: false });
  expect(await limit.count('a')).toMatchObject({ remaining: 0, isOver: true });
  expect(await limit.count('a')).toMatchObject({ remaining: 0, isOver: true });
});

test('each caller has its own quota', async () => {
  const limit = new RateLimit('own', 1, null);
  await limit.spend('a', 'The imports of a', anyResponse());
  await expect(limit.spend('a', 'The imports of a', anyResponse())).rejects.toThrow();
  await limit.spend('b', 'The imports of b', anyResponse());
});

test('a call over the limit is refused for the rest of the window', async () => {
  const limit = new RateLimit('over', 1, null);
  await limit.spend('a', 'The imports', anyResponse());
  const error: unknown = await limit
    .spend('a', 'The imports', anyResponse())
    .catch((reason: unknown) => reason);
  if (!(error instanceof OverRateError)) throw new Error('not refused');
  const { resetSeconds } = await limit.count('a');
  expect(resetSeconds).toBeGreaterThanOrEqual(1);
  expect(resetSeconds).toBeLessThanOrEqual(RATE_WINDOW_SECONDS);
  const { message, retryMs } = error;
  expect(message).toBe('The imports for this minute are used up.');
  expect(retryMs).toBeGreaterThanOrEqual(resetSeconds * 1_000);
  expect(retryMs).toBeLessThanOrEqual(RATE_WINDOW_SECONDS * 1_000);
});

test('the quota returns with the next window', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const limit = new RateLimit('next', 1, null);
  await limit.count('a');
  expect(await limit.count('a')).toMatchObject({ isOver: true });
  vi.advanceTimersByTime(RATE_WINDOW_SECONDS * 1_000 + 1);
  expect(await limit.count('a')).toMatchObject({ isOver: false, remaining: 0 });
});

test('while Redis is unavailable a process counts for itself: calls are neither refused nor free', async () => {
  const redis = new Redis({
    port: await freePort(),
    enableOfflineQueue: false,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  const limit = new RateLimit('alone', 1, redis);
  expect(await limit.count('a')).toMatchObject({ isOver: false });
  expect(await limit.count('a')).toMatchObject({ isOver: true });
});
