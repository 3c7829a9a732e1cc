import { beforeEach, expect, test } from 'vitest';
import { FairRate, OverRateError } from '../../../shared/limits/fair-rate.ts';

let nowMs = 0;
let time: FairRate;

beforeEach(() => {
  nowMs = 1_000;
  time = new FairRate({ what: 'ms for large bodies', perSecond: 100, keptSeconds: 30 }, () => nowMs);
});

test('an owner that has used nothing does not wait, and may at once use what it would have in 30 seconds', () => {
  expect(time.waitMs('a')).toBe(0);
  time.spend('a', 2_999);
  expect(time.waitMs('a')).toBe(0);
  time.spend('a', 1);
  expect(time.waitMs('a')).toBeGreaterThan(0);
});

test('an expensive piece of work makes its owner wait until it is paid for, and nobody else', () => {
  time.spend('a', 5_000);
  const waitMs = time.waitMs('a');
  expect(waitMs).toBeGreaterThanOrEqual(20_000);
  expect(waitMs).toBeLessThan(20_010);
  expect(time.waitMs('b')).toBe(0);
  nowMs += waitMs - 10;
  expect(time.waitMs('a')).toBeGreaterThan(0);
  nowMs += 10;
  expect(time.waitMs('a')).toBe(0);
});

test('over a long time an owner has its part and no more, however expensive its work is', () => {
  let usedMs = 0;
  const endMs = nowMs + 3_600_000;
  while (nowMs < endMs) {
    time.spend('a', 1_500);
    usedMs += 1_500;
    nowMs += time.waitMs('a');
  }
  expect(usedMs).toBeGreaterThan(3_600 * 100);
  expect(usedMs).toBeLessThan(3_600 * 100 + 3_000 + 2 * 1_500);
});

test('time that is not used is not kept for ever', () => {
  time.spend('a', 1);
  nowMs += 3_600_000;
  time.spend('a', 3_000);
  expect(time.waitMs('a')).toBeGreaterThan(0);
});

test('the refusal says how much the owner has, and when to try again', () => {
  time.spend('a', 4_000);
  expect(() => time.requireLeft('a')).toThrow(OverRateError);
  try {
    time.requireLeft('a');
  } catch (error) {
    expect(error).toMatchObject({
      message: 'The organization has used up its 100 ms for large bodies in a second.',
      retryMs: time.waitMs('a'),
    });
  }
  time.requireLeft('b');
});
