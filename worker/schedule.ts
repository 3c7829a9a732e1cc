import type { Counter } from 'prom-client';
import type { Context } from '../shared/process/context.ts';
import { claimLease } from '../shared/db/leases.ts';

/** Work that is repeated periodically. Running it twice does no harm. */
export interface ScheduledTask {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/**
 * Starts scheduled tasks. One of all workers runs a task when it is due; a process never runs a task twice at once.
 * Returns the function that stops them and waits for running ones.
 */
export function startSchedule(
  { database, log }: Context,
  runs: Counter<'task' | 'result'>,
  tasks: readonly ScheduledTask[],
): () => Promise<void> {
  const runIfDue = async ({ name, everyMs, run }: ScheduledTask) => {
    if (!(await claimLease(database, name, everyMs))) return;
    await run();
    runs.inc({ task: name, result: 'done' });
  };
  const running = new Map<string, Promise<void>>();
  for (const { name } of tasks) for (const result of ['done', 'failed']) runs.inc({ task: name, result }, 0);
  const timers = tasks.map((task) =>
    setInterval(() => {
      if (running.has(task.name)) return;
      const run = runIfDue(task)
        .catch((error: unknown) => {
          runs.inc({ task: task.name, result: 'failed' });
          log.error({ err: error, task: task.name }, 'scheduled task failed');
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
