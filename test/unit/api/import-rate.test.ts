import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ImportRate } from '../../../api/imports/import-rate.ts';

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
  while (priorities.length < imports) priorities.push(await rate.spend('a'));
  return priorities;
}

test('twenty imports of a minute have the first priority, and each further twenty the next', async () => {
  const priorities = await prioritiesOf(new ImportRate(100, null), 45);
  expect(priorities).toEqual(Array.from({ length: 45 }, (_, index) => Math.floor(index / 20)));
});

test('an organization that goes on in the next minute keeps its priority, and loses it after a minute’s pause', async () => {
  const rate = new ImportRate(100, null);
  await prioritiesOf(rate, 25);
  vi.advanceTimersByTime(59_000);
  expect(await rate.spend('a')).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(await rate.spend('a')).toBe(1);
  expect(await rate.spend('b')).toBe(0);
  vi.advanceTimersByTime(61_000);
  expect(await rate.spend('a')).toBe(0);
});
