import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { within } from '../process/within.ts';
import type { Log } from '../telemetry/log.ts';
import type { Database } from './database.ts';
import { answerOptions, sessionOptions, STANDARD_TIMES } from './session-options.ts';

const RECONNECT_MS = 500;
const CONNECT_MS = 10_000;
const PROOF_CHANNEL = 'listen_proof';
const PROOF_MS = 3_000;

/** Handles the messages of channels, by their names. */
export type ChannelListeners = Readonly<Record<string, (message: string) => void>>;

/**
 * Receives the notifications of channels on a connection of its own, which is reopened when it breaks. What was
 * sent meanwhile is lost: waiters also poll.
 */
export class NotificationListener {
  readonly #url: string;
  readonly #log: Log;
  readonly #listeners: ChannelListeners;
  #client: pg.Client | null = null;
  #isClosed = false;

  constructor(url: string, log: Log, listeners: ChannelListeners) {
    this.#url = url;
    this.#log = log;
    this.#listeners = listeners;
  }

  /** Connects; where that fails, it is tried again until it works. */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      this.#log.warn({ err: error }, 'notification channel unavailable');
      this.#retryLater();
    }
  }

  /**
   * Proves that what the pool sends arrives here, unless the connection is still to be made.
   * @throws Error where it does not: a transaction pooler delivers nothing, and another database neither
   */
  async prove(database: Database): Promise<void> {
    const client = this.#client;
    if (client === null) return;
    const proof = randomUUID();
    const arrived = new Promise<void>((resolve) => {
      client.on('notification', ({ payload }) => {
        if (payload === proof) resolve();
      });
    });
    await client.query(`listen ${PROOF_CHANNEL}`);
    await database.raw('select pg_notify(?, ?)', [PROOF_CHANNEL, proof]);
    await within(PROOF_MS, arrived);
    await client.query(`unlisten ${PROOF_CHANNEL}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_MS,
      ...answerOptions(STANDARD_TIMES),
      options: sessionOptions(),
      application_name: 'listener',
    });
    client.on('notification', ({ channel, payload = '' }) => {
      this.#listeners[channel]?.(payload);
    });
    client.on('error', (error) => this.#reconnect(client, error));
    client.on('end', () => this.#reconnect(client, new Error('connection ended')));
    try {
      await client.connect();
      for (const channel of Object.keys(this.#listeners)) await client.query(`listen ${channel}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    if (this.#isClosed) await client.end();
  }

  #reconnect(broken: pg.Client, error: Error): void {
    if (this.#isClosed || this.#client !== broken) return;
    this.#client = null;
    this.#log.warn({ err: error }, 'notification channel lost');
    broken.end().catch(() => undefined);
    this.#retryLater();
  }

  #retryLater(): void {
    setTimeout(() => {
      if (this.#isClosed) return;
      this.#connect().then(
        () => this.#log.info('notification channel restored'),
        () => this.#retryLater(),
      );
    }, RECONNECT_MS);
  }
}
