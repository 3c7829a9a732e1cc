import type { ImportStep } from '../../shared/db/imports/models.ts';
import { within } from '../../shared/process/within.ts';

/** A step of an import took longer than allowed. Its message may be shown to vendors. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  constructor(step: ImportStep, seconds: number) {
    super(`The import was ${step} the package for more than ${seconds} seconds.`);
  }
}

/** The time limits, in seconds. */
export interface DeadlineSettings {
  readonly stepSeconds: number;
  /** For all attempts, from the start of the first. */
  readonly importSeconds: number;
}

/** Bounds the steps of one attempt. A step that ran out of time can no longer end the import. */
export class Deadlines {
  readonly #stepMs: number;
  /** On the monotonic clock. */
  readonly #endMs: number;

  /**
   * An attempt that starts late, because everything was unavailable, still has the time of a step.
   * @param ageMs time since the first attempt started, by the database's clock: this machine's may be wrong
   */
  constructor({ stepSeconds, importSeconds }: DeadlineSettings, ageMs: number) {
    this.#stepMs = stepSeconds * 1_000;
    this.#endMs = performance.now() + Math.max(importSeconds * 1_000 - ageMs, this.#stepMs);
  }

  /** Returns the result of the work. @throws DeadlineExceededError when it takes too long. */
  async within<T>(step: ImportStep, work: () => Promise<T>): Promise<T> {
    const limitMs = Math.max(0, Math.min(this.#endMs - performance.now(), this.#stepMs));
    const exceeded = () => new DeadlineExceededError(step, Math.ceil(limitMs / 1_000));
    if (limitMs === 0) throw exceeded();
    return within(limitMs, work(), exceeded);
  }
}
