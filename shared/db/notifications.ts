import type { Log } from '../log.ts';
import type { Database } from './database.ts';

/** Says which imports changed: their IDs, with commas. */
export const IMPORTS_CHANNEL = 'import_changed';
/** Says of which API client a key was revoked, rotated or otherwise ended. */
export const API_KEYS_CHANNEL = 'api_keys_changed';

/** NOTIFY takes 8,000 bytes; an ID and its comma are 37. */
const IDS_PER_MESSAGE = 200;
/** Long enough to gather what finishes together, too short to be felt. */
const BATCH_MS = 2;

/**
 * Tells waiting processes that imports changed. It is a hint, sent after the commit (NOTIFY inside a
 * transaction serialises commits); whoever waits also polls.
 */
export class ImportNotifier {
  readonly #database: Database;
  readonly #log: Log;
  #waiting = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> = Promise.resolve();

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
  }

  changed(importId: string): void {
    this.#waiting.add(importId);
    this.#timer ??= setTimeout(() => {
      this.#sending = this.#send();
    }, BATCH_MS);
  }

  /** Sends what is still waiting. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#sending;
    await this.#send();
  }

  async #send(): Promise<void> {
    this.#timer = null;
    const ids = [...this.#waiting];
    this.#waiting = new Set();
    try {
      for (let start = 0; start < ids.length; start += IDS_PER_MESSAGE) {
        const message = ids.slice(start, start + IDS_PER_MESSAGE).join(',');
        await this.#database.raw('select pg_notify(?, ?)', [IMPORTS_CHANNEL, message]);
      }
    } catch (error) {
      this.#log.warn({ err: error, imports: ids.length }, 'notification failed');
    }
  }
}
