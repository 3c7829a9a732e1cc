import type { Counter } from 'prom-client';
import type { Context } from '../shared/process/context.ts';
import { claimDuty } from '../shared/db/duties.ts';

/** Work that is done again and again. Doing it twice does no harm. */
export interface ScheduledTask {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/**
 * Starts scheduled tasks. Of all workers one runs a task when it is due, and never twice at once in this process. Gives the
 * function that ends them and waits for those that run.
 */
export function startSchedule(
  { database, log }: Context,
  runs: Counter<'duty' | 'result'>,
  tasks: readonly ScheduledTask[],
): () => Promise<void> {
  const runIfDue = async ({ name, everyMs, run }: ScheduledTask) => {
    if (!(await claimDuty(database, name, everyMs))) return;
    await run();
    runs.inc({ duty: name, result: 'done' });
  };
  const running = new Map<string, Promise<void>>();
  for (const { name } of tasks) for (const result of ['done', 'failed']) runs.inc({ duty: name, result }, 0);
  const timers = tasks.map((task) =>
    setInterval(() => {
      if (running.has(task.name)) return;
      const run = runIfDue(task)
        .catch((error: unknown) => {
          runs.inc({ duty: task.name, result: 'failed' });
          log.error({ err: error, duty: task.name }, 'duty failed');
        })
        .finally(() => running.delete(task.name));
      running.set(task.name, run);
    }, task.everyMs),
  );
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.values());
  };
}
