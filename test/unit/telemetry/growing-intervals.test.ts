import { expect, test } from 'vitest';
import { GrowingIntervals } from '../../../shared/telemetry/growing-intervals.ts';

test('what repeats is reported at once, then at intervals that double from a second to a minute, and anew after two quiet minutes', () => {
  const reports = new GrowingIntervals();
  const reportedAt = (untilMs: number, fromMs: number) => {
    const times: number[] = [];
    for (let nowMs = fromMs; nowMs <= untilMs; nowMs += 100) if (reports.isDue(nowMs)) times.push(nowMs);
    return times;
  };
  expect(reportedAt(200_000, 1_000)).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 124_000, 184_000,
  ]);
  expect(reports.isDue(320_100)).toBe(true);
  expect(reports.isDue(321_100)).toBe(true);
});
