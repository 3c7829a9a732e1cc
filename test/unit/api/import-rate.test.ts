import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ImportRate } from '../../../api/imports/import-rate.ts';
import { anyResponse } from '../../support/any-response.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  // The cache has its own reference to the clock.
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function prioritiesOf(rate: ImportRate, imports: number): Promise<readonly number[]> {
  const priorities: number[] = [];
  while (priorities.length < imports) priorities.push(await rate.spend('a', anyResponse()));
  return priorities;
}

test('eight imports at once have the regular lane, and each further eight the next priority', async () => {
  const priorities = await prioritiesOf(new ImportRate(100, null), 30);
  expect(priorities).toEqual(Array.from({ length: 30 }, (_, index) => Math.floor(index / 8)));
});

test('an organization that imports once a second keeps the regular lane', async () => {
  const rate = new ImportRate(1_000, null);
  for (let second = 0; second < 300; second += 1) {
    expect(await rate.spend('a', anyResponse())).toBe(0);
    vi.advanceTimersByTime(1_000);
  }
});

test('an organization that goes on in the next minute keeps its priority, and loses it after a minute’s pause', async () => {
  const rate = new ImportRate(100, null);
  await prioritiesOf(rate, 10);
  vi.advanceTimersByTime(59_000);
  expect(await rate.spend('a', anyResponse())).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(await rate.spend('a', anyResponse())).toBe(1);
  expect(await rate.spend('b', anyResponse())).toBe(0);
  vi.advanceTimersByTime(61_000);
  expect(await rate.spend('a', anyResponse())).toBe(0);
});
