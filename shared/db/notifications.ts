import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';
import type { Database } from './database.ts';
import { preparedStatement, queryRows, type PreparedStatement, type SentBehind } from './statement.ts';

/** A channel of notifications. */
export interface Channel {
  readonly name: string;
  /** Sends what changed, for the IDs of `:ids`. */
  readonly notify: PreparedStatement;
}

/** In a statement whose transaction has nothing that must be on disk when it ends. */
export const ASYNCHRONOUS_COMMIT = "set_config('synchronous_commit', 'off', true)";

/** The channel that reports which modules have new changes: their IDs, separated by commas. */
export const CHANGES_CHANNEL: Channel = {
  name: 'changes_sequenced',
  notify: preparedStatement(
    `select ${ASYNCHRONOUS_COMMIT}, pg_notify('changes_sequenced', array_to_string(:ids::uuid[], ','))`,
  ),
};

/** NOTIFY accepts 8,000 bytes; the message of changes has 37 for each ID and its comma. */
const IDS_PER_STATEMENT = 200;

/** A notification right behind the statement that changes what it names. */
export interface NotificationBehind extends SentBehind {
  /** The next `changed` of each of these sends nothing, if the notification was sent. */
  replaces(ids: Iterable<string>): void;
}

/**
 * Notifies waiting processes of changes. It is sent after the commit (NOTIFY inside a
 * transaction serialises commits), and may be lost: waiters also poll.
 */
export class Notifier {
  readonly #database: Database;
  readonly #channel: Channel;
  readonly #log: Log;
  #waiting = new Set<string>();
  /** Of these was notified behind a statement, and `changed` is still to come. */
  readonly #notified = new Set<string>();
  #sending: Promise<void> | null = null;

  constructor(database: Database, channel: Channel, log: Log) {
    this.#database = database;
    this.#channel = channel;
    this.#log = log;
  }

  /** Sends at the end of the turn, so that imports which end together have one statement; changes during a send go into the next. */
  changed(id: string): void {
    if (this.#notified.delete(id)) return;
    this.#waiting.add(id);
    this.#sending ??= this.#sendAll();
  }

  /** For the statement that changes these, at most `IDS_PER_STATEMENT`. */
  behind(ids: readonly string[]): NotificationBehind {
    let isSent = false;
    return {
      statement: this.#channel.notify,
      values: { ids },
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
      for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT)
        await queryRows(this.#database, this.#channel.notify, {
          ids: ids.slice(start, start + IDS_PER_STATEMENT),
        });
    } catch (error) {
      const { name: channel } = this.#channel;
      this.#log.warn({ err: error, channel, ids: ids.length }, 'notification failed');
    }
  }
}
