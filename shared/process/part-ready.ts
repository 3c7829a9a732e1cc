import { setTimeout } from 'node:timers/promises';
import { GrowingIntervals } from '../telemetry/growing-intervals.ts';
import type { Log } from '../telemetry/log.ts';
import { problemFields } from './part-problem.ts';
import { within } from './within.ts';

const CHECK_MS = 5_000;
const POLL_MS = 1_000;

/** The activity of a process while it waits for a part, such as answering probes; closed when the part works. */
export interface Waiting {
  close(): Promise<void>;
}

/**
 * Waits until a part of the service works, and reports why it does not: at once, then at growing intervals. Before it
 * waits, it calls `wait`. Returns the result of the check.
 */
export async function partReady<Result>(
  log: Log,
  part: string,
  check: () => Promise<Result>,
  wait: () => Promise<Waiting> = () => Promise.resolve({ close: () => Promise.resolve() }),
): Promise<Result> {
  const reports = new GrowingIntervals();
  const tryOnce = async () => {
    try {
      return { result: await within(CHECK_MS, check()) };
    } catch (error) {
      if (reports.isDue()) log.warn({ part, ...problemFields(error) }, 'waiting for a part');
      return null;
    }
  };
  const first = await tryOnce();
  if (first !== null) return first.result;
  const waiting = await wait();
  for (;;) {
    await setTimeout(POLL_MS);
    const next = await tryOnce();
    if (next === null) continue;
    log.info({ part }, 'part is available');
    await waiting.close();
    return next.result;
  }
}
