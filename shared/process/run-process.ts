import { loadWorkerConfig } from '../config/config.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { PartProblem } from './part-problem.ts';

/** A process that is up, and how it stops. */
export interface RunningProcess {
  stop(): Promise<void>;
}

/** The time for the end of a process beyond that for its requests and jobs. */
const CLOSE_MS = 5_000;

/** The longest time that a process takes to stop, even if something still waits for a part that does not answer. */
export function maxStopMs({ server } = loadWorkerConfig()): number {
  const { shutdownDelaySeconds, drainSeconds } = server;
  return (shutdownDelaySeconds + drainSeconds) * 1_000 + CLOSE_MS;
}

/** A second signal so soon is the same one, which a terminal sends to the parent and to the child. */
const SAME_SIGNAL_MS = 1_000;

/** The report of a child process to its parent. */
export type ProcessMessage =
  | {
      readonly listening: number;
      /** Where the API serves the applications of modules: its port, and the origins with `*` in place of the module's ID. */
      readonly applications: { readonly port: number; readonly origins: string } | null;
    }
  /** A worker accepts jobs; `adminPort` is null where it serves no probes and metrics. */
  | { readonly ready: true; readonly adminPort: number | null };

/**
 * Runs a process until SIGTERM, SIGINT or the end of its parent stops it; a second signal ends it. Invalid settings are
 * reported on standard error, all at once, and end it with exit code 2. One with a time to stop has nothing to
 * finish while it starts: a signal ends it at once, whatever part it waits for.
 */
export function runProcess(start: () => Promise<RunningProcess>, maxStop?: () => number): void {
  let isRunning = false;
  let stoppedMs: number | null = null;
  const starting = start().then((running) => {
    isRunning = true;
    return running;
  });
  const stop = () => {
    if (stoppedMs !== null) return;
    stoppedMs = performance.now();
    if (maxStop !== undefined && !isRunning) process.exit(0);
    if (maxStop !== undefined) setTimeout(() => process.exit(1), maxStop()).unref();
    starting
      .then((running) => running.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  const onSignal = () => {
    if (stoppedMs !== null && performance.now() - stoppedMs > SAME_SIGNAL_MS) process.exit(1);
    stop();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  if (process.send !== undefined) process.on('disconnect', stop);
  starting.catch((error: unknown) => {
    const text =
      error instanceof SettingsError || error instanceof PartProblem
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error);
    process.stderr.write(`${text}\n`);
    process.exit(error instanceof SettingsError ? 2 : 1);
  });
}

/** Notifies the parent, where there is one. */
export function notifyParent(message: ProcessMessage): void {
  process.send?.(message);
}
