import { SettingsError } from '../config/settings-reader.ts';
import { PartProblem } from './part-problem.ts';

/** A process that is up, and how it stops. */
export interface RunningProcess {
  stop(): Promise<void>;
}

/** What a child process reports to its parent. */
export type ProcessMessage =
  | { readonly listening: number }
  /** A worker accepts jobs; `metricsPort` is null where it serves no metrics. */
  | { readonly ready: true; readonly metricsPort: number | null };

/**
 * Runs a process until SIGTERM, SIGINT or the end of its parent stops it. Invalid
 * settings are reported on standard error, all at once, and end it with exit code 2.
 */
export function runProcess(start: () => Promise<RunningProcess>): void {
  const starting = start();
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    starting
      .then((running) => running.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
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
