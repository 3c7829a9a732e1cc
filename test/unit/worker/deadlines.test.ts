import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeadlineExceededError, Deadlines } from '../../../worker/import/deadlines.ts';

const SETTINGS = { stepSeconds: 600, importSeconds: 3_600 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('a clock that steps forward ends no import', async () => {
  const deadlines = new Deadlines(SETTINGS, 0);
  vi.setSystemTime(Date.now() + 26 * 3_600_000);
  expect(await deadlines.within('checking', () => Promise.resolve('done'))).toBe('done');
});

test('a step has no more time than the import has left', async () => {
  const deadlines = new Deadlines({ stepSeconds: 0.05, importSeconds: 3_600 }, 0);
  const late = deadlines.within('checking', () => new Promise(() => undefined));
  await expect(late).rejects.toThrow(DeadlineExceededError);
});

test('an attempt that starts after the deadline, because all was unavailable, has the time of a step', async () => {
  const deadlines = new Deadlines(SETTINGS, 86_400_000);
  expect(await deadlines.within('checking', () => Promise.resolve('done'))).toBe('done');
});
