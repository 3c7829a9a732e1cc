import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';
import type { Database } from './database.ts';
import { preparedStatement, queryRows, type SentBehind } from './statement.ts';

/** The channel that reports which imports changed: their IDs, separated by commas. */
export const IMPORTS_CHANNEL = 'import_changed';
/** The channel that reports which modules have new changes: their IDs, separated by commas. */
export const CHANGES_CHANNEL = 'changes_sequenced';

/** PostgreSQL notifies when the transaction ends, which has nothing that must be on disk first. */
const NOTIFY = preparedStatement(
  "select set_config('synchronous_commit', 'off', true), pg_notify(:channel, :message)",
);

/** NOTIFY accepts 8,000 bytes; an ID and its comma are 37. */
const IDS_PER_MESSAGE = 200;

/** A notification right behind the statement that changes what it names. */
export interface NotificationBehind extends SentBehind {
  /** The next `changed` of each of these sends nothing, if the notification was sent. */
  replaces(ids: Iterable<string>): void;
}

/**
 * Notifies waiting processes of changes. It is a hint, sent after the commit (NOTIFY inside a
 * transaction serialises commits); waiters also poll.
 */
export class Notifier {
  readonly #database: Database;
  readonly #channel: string;
  readonly #log: Log;
  #waiting = new Set<string>();
  /** Of these was notified behind a statement, and `changed` is still to come. */
  readonly #notified = new Set<string>();
  #sending: Promise<void> | null = null;

  constructor(database: Database, channel: string, log: Log) {
    this.#database = database;
    this.#channel = channel;
    this.#log = log;
  }

  /** Sends at the end of the turn, so that imports which end together have one message; changes during a send go into the next. */
  changed(id: string): void {
    if (this.#notified.delete(id)) return;
    this.#waiting.add(id);
    this.#sending ??= this.#sendAll();
  }

  /** For the statement that changes these, at most as many as a message has. */
  behind(ids: readonly string[]): NotificationBehind {
    let isSent = false;
    return {
      statement: NOTIFY,
      values: { channel: this.#channel, message: ids.join(',') },
      onDone: () => {
        isSent = true;
      },
      replaces: (changed) => {
        if (isSent) for (const id of changed) this.#notified.add(id);
      },
    };
  }

  async close(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    await nextTurn();
    while (this.#waiting.size > 0) {
      const ids = [...this.#waiting];
      this.#waiting = new Set();
      await this.#send(ids);
    }
    this.#sending = null;
  }

  async #send(ids: readonly string[]): Promise<void> {
    try {
      for (let start = 0; start < ids.length; start += IDS_PER_MESSAGE) {
        const message = ids.slice(start, start + IDS_PER_MESSAGE).join(',');
        await queryRows(this.#database, NOTIFY, { channel: this.#channel, message });
      }
    } catch (error) {
      this.#log.warn({ err: error, channel: this.#channel, ids: ids.length }, 'notification failed');
    }
  }
}
