import type { Counter } from 'prom-client';
import type { Context } from '../shared/process/context.ts';
import { claimDuty } from '../shared/db/duties.ts';

/** Work that is done again and again. Doing it twice does no harm. */
export interface Duty {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/**
 * Starts duties. Of all workers one does a duty when it is due, and never twice at once in this process. Gives the
 * function that ends them and waits for those that run.
 */
export function startSchedule(
  { database, log }: Context,
  runs: Counter<'duty' | 'result'>,
  duties: readonly Duty[],
): () => Promise<void> {
  const runIfDue = async ({ name, everyMs, run }: Duty) => {
    if (!(await claimDuty(database, name, everyMs))) return;
    await run();
    runs.inc({ duty: name, result: 'done' });
  };
  const running = new Map<string, Promise<void>>();
  for (const { name } of duties) for (const result of ['done', 'failed']) runs.inc({ duty: name, result }, 0);
  const timers = duties.map((duty) =>
    setInterval(() => {
      if (running.has(duty.name)) return;
      const run = runIfDue(duty)
        .catch((error: unknown) => {
          runs.inc({ duty: duty.name, result: 'failed' });
          log.error({ err: error, duty: duty.name }, 'duty failed');
        })
        .finally(() => running.delete(duty.name));
      running.set(duty.name, run);
    }, duty.everyMs),
  );
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.values());
  };
}
