import type { Log } from '../shared/log.ts';

/** Work that is done again and again. Every worker does it: doing it twice does no harm. */
export interface Duty {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/** Starts duties, each never twice at once in this process. Gives the function that ends them and waits. */
export function startSchedule(log: Log, duties: readonly Duty[]): () => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const timers = duties.map((duty) =>
    setInterval(() => {
      if (running.has(duty.name)) return;
      const run = duty
        .run()
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
