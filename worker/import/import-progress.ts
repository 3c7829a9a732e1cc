import { recordProgress, type ImportProgress, type RunKey } from '../../shared/db/imports/attempts.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A shorter import reports no progress, and is not slowed down by it. */
const INTERVAL_MS = 300;

/** Writes the progress of an import, at most a few times a second. Progress that cannot be written is dropped. */
export class ImportProgressReport {
  readonly #context: WorkerContext;
  readonly #run: RunKey;
  #latest: ImportProgress | null = null;
  #writing: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(context: WorkerContext, run: RunKey) {
    this.#context = context;
    this.#run = run;
    this.#timer = setInterval(() => this.#write(), INTERVAL_MS);
  }

  report(progress: ImportProgress): void {
    this.#latest = progress;
  }

  /** No progress is written after this resolves. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#latest = null;
    await this.#writing;
  }

  #write(): void {
    const progress = this.#latest;
    if (progress === null || this.#writing !== null) return;
    this.#latest = null;
    this.#writing = recordProgress(this.#context.asyncCommitDatabase, this.#run, progress)
      .then(() => this.#context.notifier.changed(this.#run.id))
      .catch((error: unknown) => this.#context.log.warn({ err: error }, 'import progress not written'))
      .finally(() => {
        this.#writing = null;
      });
  }
}
