import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';

const CHANNEL = 'import_changed';
/** NOTIFY takes 8,000 bytes; an ID and its comma are 37. */
const IDS_PER_MESSAGE = 200;
/** Long enough to gather what finishes together, too short to be felt. */
const BATCH_MS = 2;
const RECONNECT_MS = 500;

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
        await this.#database.raw('select pg_notify(?, ?)', [CHANNEL, message]);
      }
    } catch (error) {
      this.#log.warn({ err: error, imports: ids.length }, 'notification failed');
    }
  }
}

/** Hears of changed imports on a connection of its own, which is made again when it breaks. */
export class ImportListener {
  readonly #url: string;
  readonly #log: Log;
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #client: pg.Client | null = null;
  #closed = false;

  constructor(url: string, log: Log) {
    this.#url = url;
    this.#log = log;
  }

  /** Calls back with the IDs of each message, until the returned function is called. */
  onChanged(callback: (importIds: readonly string[]) => void): () => void {
    this.#emitter.on('changed', callback);
    return () => this.#emitter.off('changed', callback);
  }

  async start(): Promise<void> {
    await this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      application_name: 'listener',
    });
    client.on('notification', ({ payload }) => this.#emitter.emit('changed', (payload ?? '').split(',')));
    client.on('error', (error) => {
      this.#reconnect(client, error);
    });
    client.on('end', () => {
      this.#reconnect(client, new Error('connection ended'));
    });
    this.#client = client;
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
  }

  #reconnect(broken: pg.Client, error: Error): void {
    if (this.#closed || this.#client !== broken) return;
    this.#client = null;
    this.#log.warn({ err: error }, 'notification channel lost');
    broken.end().catch(() => undefined);
    setTimeout(() => void this.#retry(), RECONNECT_MS);
  }

  async #retry(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#connect();
      this.#log.info('notification channel restored');
    } catch {
      this.#client = null;
      setTimeout(() => void this.#retry(), RECONNECT_MS);
    }
  }
}
