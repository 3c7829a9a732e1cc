import pg from 'pg';
import type { Log } from '../telemetry/log.ts';
import { IMPORTS_CHANNEL } from './notifications.ts';
import { sessionOptions } from './session-options.ts';

const RECONNECT_MS = 500;

/**
 * Receives the notifications of imports on a connection of its own, which is reopened when it breaks. What was
 * sent meanwhile is lost: waiters also poll.
 */
export class NotificationListener {
  readonly #url: string;
  readonly #log: Log;
  readonly #onChanged: (importIds: readonly string[]) => void;
  #client: pg.Client | null = null;
  #isClosed = false;

  constructor(url: string, log: Log, onChanged: (importIds: readonly string[]) => void) {
    this.#url = url;
    this.#log = log;
    this.#onChanged = onChanged;
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      options: sessionOptions(),
      application_name: 'listener',
    });
    client.on('notification', ({ payload = '' }) => {
      this.#onChanged(payload.split(','));
    });
    client.on('error', (error) => {
      this.#reconnect(client, error);
    });
    client.on('end', () => {
      this.#reconnect(client, new Error('connection ended'));
    });
    try {
      await client.connect();
      await client.query(`listen ${IMPORTS_CHANNEL}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    if (this.#isClosed) await client.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end();
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
      this.start().then(
        () => {
          this.#log.info('notification channel restored');
        },
        () => {
          this.#retryLater();
        },
      );
    }, RECONNECT_MS);
  }
}
