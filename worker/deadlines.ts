import type { ImportStep } from '../shared/db/models.ts';
import { within } from '../shared/process/within.ts';

/** A step of an import, or the whole import, took longer than allowed. Its message may be shown to vendors. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
  /** Whether the time of the whole import is over, so that another attempt is useless. */
  readonly isFinal: boolean;

  constructor(step: ImportStep, seconds: number, isFinal: boolean) {
    super(
      isFinal
        ? `The import did not end within ${seconds} seconds; it was ${step} the package.`
        : `The import was ${step} the package for more than ${seconds} seconds.`,
    );
    this.isFinal = isFinal;
  }
}

/** The time limits, in seconds. */
export interface DeadlineSettings {
  readonly stepSeconds: number;
  /** Over all attempts, from the start of the first. */
  readonly importSeconds: number;
}

/** Bounds the steps of one import. A step that ran out of time can no longer end the import. */
export class Deadlines {
  readonly #settings: DeadlineSettings;
  /** On the monotonic clock. */
  readonly #startedMs: number;

  /** @param ageMs time since the first attempt started, by the database's clock: this machine's may be wrong */
  constructor(settings: DeadlineSettings, ageMs: number) {
    this.#settings = settings;
    this.#startedMs = performance.now() - ageMs;
  }

  /** Returns the result of the work. @throws DeadlineExceededError when it takes too long. */
  async within<T>(step: ImportStep, work: () => Promise<T>): Promise<T> {
    const { stepSeconds, importSeconds } = this.#settings;
    const leftMs = Math.max(0, this.#startedMs + importSeconds * 1_000 - performance.now());
    const isFinal = leftMs < stepSeconds * 1_000;
    const exceeded = () => new DeadlineExceededError(step, isFinal ? importSeconds : stepSeconds, isFinal);
    if (leftMs === 0) throw exceeded();
    return within(Math.min(leftMs, stepSeconds * 1_000), work(), exceeded);
  }
}
