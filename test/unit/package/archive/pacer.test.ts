import { afterEach, expect, test, vi } from 'vitest';

import { Pacer } from '../../../../shared/package/archive/pacer.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a turn is due after more than 4 ms of work since the last turn', async () => {
  let nowMs = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const pacer = new Pacer();
  nowMs = 1004;
  expect(pacer.isDue).toBe(false);
  nowMs = 1004.5;
  expect(pacer.isDue).toBe(true);
  await pacer.turn();
  expect(pacer.isDue).toBe(false);
  nowMs = 1009;
  expect(pacer.isDue).toBe(true);
});

test('waiting events are handled in a turn', async () => {
  const handled = vi.fn();
  setImmediate(handled);
  await Promise.resolve();
  expect(handled).not.toHaveBeenCalled();
  await new Pacer().turn();
  expect(handled).toHaveBeenCalled();
});
