import type { Counter } from 'prom-client';
import type { Log } from '../shared/log.ts';

/** Work that is done again and again. Every worker does it: doing it twice does no harm. */
export interface Duty {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/** Starts duties, each never twice at once in this process. Gives the function that ends them and waits. */
export function startSchedule(
  log: Log,
  runs: Counter<'duty' | 'result'>,
  duties: readonly Duty[],
): () => Promise<void> {
  const running = new Map<string, Promise<void>>();
  for (const { name } of duties) for (const result of ['done', 'failed']) runs.inc({ duty: name, result }, 0);
  const timers = duties.map((duty) =>
    setInterval(() => {
      if (running.has(duty.name)) return;
      const run = duty
        .run()
        .then(() => {
          runs.inc({ duty: duty.name, result: 'done' });
        })
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
