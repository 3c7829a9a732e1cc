import type { Log } from '../../shared/telemetry/log.ts';

const EVERY_MS = 10_000;

/** Logs why callers are refused: one line in ten seconds for each reason, so that nobody can fill the log. */
export class RefusalLog {
  readonly #log: Log;
  readonly #last = new Map<string, { atMs: number; suppressed: number }>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `suppressed` in the line is the number of refusals since the previous line of this reason. */
  write(reason: string, findings: Readonly<Record<string, unknown>> = {}): void {
    const last = this.#last.get(reason);
    const nowMs = performance.now();
    if (last !== undefined && nowMs - last.atMs < EVERY_MS) {
      last.suppressed += 1;
      return;
    }
    this.#last.set(reason, { atMs: nowMs, suppressed: 0 });
    this.#log.warn({ reason, suppressed: last?.suppressed ?? 0, ...findings }, 'identity refused');
  }
}
