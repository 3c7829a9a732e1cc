import type { Context } from '../shared/context.ts';
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
export function startSchedule({ database, log }: Context, duties: readonly Duty[]): () => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const timers = duties.map((duty) =>
    setInterval(() => {
      if (running.has(duty.name)) return;
      const run = claimDuty(database, duty.name, duty.everyMs)
        .then((isOurs) => (isOurs ? duty.run() : undefined))
        .then(() => undefined)
        .catch((error: unknown) => {
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
