import type pg from 'pg';

/** A consumer that lets a snapshot wait for this long is not quick, and reads on without it. */
export const MAX_WAIT_MS = 500;

/** A transaction that sees one state of the database. It ends after a time, or when its consumer lets it wait. */
export class Snapshot {
  #client: pg.PoolClient | null;
  readonly #endsAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  private constructor(client: pg.PoolClient, maxMs: number) {
    this.#client = client;
    this.#endsAtMs = performance.now() + maxMs;
    // Nobody waits for the connection while a consumer has its turn, so the pool's error would have no listener.
    client.on('error', this.#onError);
  }

  static async open(pool: pg.Pool, maxMs: number): Promise<Snapshot> {
    const client = await pool.connect();
    const snapshot = new Snapshot(client, maxMs);
    try {
      await client.query('begin isolation level repeatable read read only');
      return snapshot;
    } catch (error) {
      snapshot.#release(true);
      throw error;
    }
  }

  /** The connection whose statements see the state; null when the snapshot has ended. */
  get client(): pg.PoolClient | null {
    return this.#client;
  }

  /** The consumer has its turn: the snapshot ends unless it is back in time. */
  startWaiting(): void {
    if (this.#client === null) return;
    const leftMs = this.#endsAtMs - performance.now();
    if (leftMs <= 0) this.end();
    else this.#timer = setTimeout(() => this.end(), Math.min(leftMs, MAX_WAIT_MS));
  }

  stopWaiting(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the transaction and returns the connection to its pool; a second call does nothing. */
  end(): void {
    const client = this.#client;
    if (client === null) return;
    this.stopWaiting();
    this.#client = null;
    client.query('commit').then(
      () => this.#return(client, false),
      () => this.#return(client, true),
    );
  }

  readonly #onError = (): void => this.#release(true);

  #release(isBroken: boolean): void {
    const client = this.#client;
    if (client === null) return;
    this.stopWaiting();
    this.#client = null;
    this.#return(client, isBroken);
  }

  #return(client: pg.PoolClient, isBroken: boolean): void {
    client.removeListener('error', this.#onError);
    client.release(isBroken);
  }
}
