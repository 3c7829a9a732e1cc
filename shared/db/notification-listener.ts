import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Log } from '../telemetry/log.ts';
import { sessionOptions } from './session-options.ts';

const RECONNECT_MS = 500;
const BEAT_MS = 250;

/**
 * Hears notifications on a connection of its own, which is made again when it breaks. It proves itself:
 * it sends itself a heartbeat, and since PostgreSQL delivers in the order of commits, one that arrives
 * says that every notification committed before it was sent has arrived too.
 */
export class NotificationListener {
  readonly #url: string;
  readonly #log: Log;
  readonly #channels: readonly string[];
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #heartbeat = `heartbeat_${randomUUID().replaceAll('-', '')}`;
  #client: pg.Client | null = null;
  #closed = false;
  #beat: NodeJS.Timeout | null = null;
  #provenAtMs = -Infinity;

  constructor(url: string, log: Log, channels: readonly string[]) {
    this.#url = url;
    this.#log = log;
    this.#channels = channels;
  }

  /** Calls back with the text of each notification, until the returned function is called. */
  onMessage(channel: string, callback: (text: string) => void): () => void {
    this.#emitter.on(channel, callback);
    return () => this.#emitter.off(channel, callback);
  }

  /** Calls back when the channel breaks: notifications may be lost from then on. */
  onLost(callback: () => void): void {
    this.#emitter.on('lost', callback);
  }

  /** Since when, at the latest, notifications may be missing, in milliseconds before now. */
  unprovenMs(): number {
    return performance.now() - this.#provenAtMs;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#beat = setInterval(() => {
      this.#sendBeat();
    }, BEAT_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#beat !== null) clearInterval(this.#beat);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      options: sessionOptions({ isHasty: false }),
      application_name: 'listener',
    });
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#heartbeat) this.#provenAtMs = Number(payload);
      else this.#emitter.emit(channel, payload);
    });
    client.on('error', (error) => {
      this.#reconnect(client, error);
    });
    client.on('end', () => {
      this.#reconnect(client, new Error('connection ended'));
    });
    this.#client = client;
    await client.connect();
    for (const channel of [...this.#channels, this.#heartbeat]) await client.query(`listen ${channel}`);
    this.#sendBeat();
  }

  /** The text is the time of sending: what it proves begins there. */
  #sendBeat(): void {
    const text = String(performance.now());
    // A failure shows as the loss of the connection.
    this.#client?.query('select pg_notify($1, $2)', [this.#heartbeat, text]).catch(() => undefined);
  }

  #reconnect(broken: pg.Client, error: Error): void {
    if (this.#closed || this.#client !== broken) return;
    this.#client = null;
    this.#provenAtMs = -Infinity;
    this.#emitter.emit('lost');
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
