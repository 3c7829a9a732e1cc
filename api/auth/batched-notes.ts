import type { Database } from '../../shared/db/database.ts';
import type { Log } from '../../shared/telemetry/log.ts';

const WRITE_MS = 10_000;

/** Keeps what requests note, and writes it every few seconds: one statement for many requests, one at a time. */
export abstract class BatchedNotes {
  protected readonly database: Database;
  protected readonly log: Log;
  #writing: Promise<void> = Promise.resolve();
  readonly #timer = setInterval(() => void this.flush(), WRITE_MS);

  constructor(database: Database, log: Log) {
    this.database = database;
    this.log = log;
  }

  /** Writes what was noted and is not written yet. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.write());
    await this.#writing;
  }

  /** Stops, and writes what was noted last. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** Takes what was noted and writes it; never rejects. */
  protected abstract write(): Promise<void>;
}
