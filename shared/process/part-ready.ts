import { setTimeout } from 'node:timers/promises';
import { GrowingIntervals } from '../telemetry/growing-intervals.ts';
import type { Log } from '../telemetry/log.ts';
import { within } from './within.ts';

const CHECK_MS = 5_000;
const POLL_MS = 1_000;

/** Waits until a part of the service works, and reports why it does not: at once, then at growing intervals. */
export async function partReady(log: Log, part: string, check: () => Promise<unknown>): Promise<void> {
  const reports = new GrowingIntervals();
  for (;;) {
    try {
      await within(CHECK_MS, check());
      return;
    } catch (error) {
      if (reports.isDue()) log.warn({ err: error, part }, 'waiting for a part');
    }
    await setTimeout(POLL_MS);
  }
}
