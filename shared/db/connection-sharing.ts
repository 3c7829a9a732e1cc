import type { Writable } from 'node:stream';
import type { Knex } from 'knex';
import type pg from 'pg';
import { FairSlots, NoSlotError, type FreeSlots, type LimitUse } from '../limits/fair-slots.ts';
import { currentOwner, forOwner } from '../limits/owner.ts';
import { isLockTimeout } from './out-of-time.ts';

/** How the connections of a pool are shared among owners. */
export interface ConnectionSharing {
  /** Work that has waited this long for a connection is refused. */
  readonly maxWaitMs: number;
  /** Work that has waited this long for locks fails. The sessions of the pool wait `LOCK_TRY_MS` for one. */
  readonly maxLockMs: number;
}

/** A connection of a pool, with what the types of the driver leave out. */
export interface Connection extends pg.ClientBase {
  /** The process that serves it, as PostgreSQL or a pooler has named it. */
  readonly processID: number | null;
  readonly connection: { readonly stream: Writable };
}

/** The part of Knex's client that hands out connections; its types leave it open. */
export interface Connections {
  /** The settings of a pool, which its transactions share. */
  readonly config: object;
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
}

/** Statements and transactions of the pool itself: those within a transaction are run by another client. */
interface Runs {
  runner(builder: unknown): { run(): Promise<unknown> };
  transaction(container: unknown, config: unknown, outer: unknown): PromiseLike<unknown>;
}

/** The longest time that a statement of a shared pool holds its connection while it waits for a lock. */
export const LOCK_TRY_MS = 100;

/** Work of one owner that may wait for each of its connections: some milliseconds each, so that it waits about a second. */
const WAITING_PER_CONNECTION = 64;

/** The owner of the connections on which work tries again to get a lock. */
const LOCKED = 'locked';

/** The pools whose connections are shared. */
const shared = new WeakMap<Knex, SharedConnections>();

/** Shares the connections of a pool among the owners of work. */
export function shareConnections(database: Knex, poolSize: number, sharing: ConnectionSharing): void {
  shared.set(database, new SharedConnections(database, poolSize, sharing));
}

/** The work that waits for a connection of a shared pool; 0 for any other. */
export function waitingForConnections(database: Knex): number {
  return shared.get(database)?.slots.waiting() ?? 0;
}

/** The work on a shared pool that tries again to get a lock, and that waits for its turn to. */
export function lockUse(database: Knex): LimitUse {
  const { taken = 0, waiting = 0 } = shared.get(database)?.lockUse() ?? {};
  return { used: taken, waiting };
}

/**
 * Runs work that takes a connection of the pool, again and again while it meets a lock, as statements and transactions of
 * Knex are run anyway. In a transaction, and on a pool that is not shared, it is run once.
 */
export async function untilUnlocked<Result>(database: Knex, work: () => Promise<Result>): Promise<Result> {
  return shared.get(database)?.untilUnlocked(work) ?? work();
}

/**
 * The connections of a pool. An owner uses at most as many as are free, and waits for them in turns with the others: one
 * that is alone uses half of them, two a third each, and one is left for an owner that has none. A transaction takes one;
 * work that has one must not want a second.
 *
 * Nothing waits long for a lock while it holds a connection. A statement or transaction that meets a held lock is undone,
 * and run again in turns: one of each owner at a time, on the connections of an owner of their own. So a transaction may
 * be run more than once, and what it does outside the database must bear that.
 */
class SharedConnections {
  readonly slots: FairSlots;
  readonly #turns: FairSlots;
  readonly #maxLockMs: number;
  readonly #taken = new Map<pg.ClientBase, FreeSlots>();

  constructor(database: Knex, poolSize: number, { maxWaitMs, maxLockMs }: ConnectionSharing) {
    this.#maxLockMs = maxLockMs;
    const maxWaitingPerOwner = Math.ceil(poolSize / 2) * WAITING_PER_CONNECTION;
    const options = { ownerKind: 'caller', maxWaitingPerOwner };
    this.slots = new FairSlots({ ...options, resource: 'database requests', max: poolSize, maxWaitMs });
    const resource = 'database requests that wait for a lock';
    this.#turns = new FairSlots({
      ...options,
      resource,
      max: Infinity,
      maxPerOwner: 1,
      maxWaitMs: maxLockMs,
    });
    this.#shareAcquired(database.client as Connections);
    this.#repeatLocked(database.client as Runs);
  }

  lockUse() {
    return { taken: this.#turns.taken(), waiting: this.#turns.waiting() };
  }

  async untilUnlocked<Result>(work: () => Promise<Result>): Promise<Result> {
    const endMs = performance.now() + this.#maxLockMs;
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      return await this.#tryAgain(work, endMs, error);
    }
  }

  /** @throws `lockError` where the lock is not free in time */
  async #tryAgain<Result>(work: () => Promise<Result>, endMs: number, lockError: unknown): Promise<Result> {
    const owner = currentOwner();
    for (let leftMs; (leftMs = endMs - performance.now()) > 0;) {
      let free: FreeSlots | null = null;
      try {
        free = await this.#turns.take(owner, 1, leftMs);
        return await forOwner(LOCKED, work);
      } catch (error) {
        if (error instanceof NoSlotError) break;
        if (!isLockTimeout(error)) throw error;
      } finally {
        free?.();
      }
    }
    throw lockError;
  }

  #shareAcquired(client: Connections): void {
    const acquire = client.acquireConnection.bind(client);
    const release = client.releaseConnection.bind(client);
    client.acquireConnection = async () => {
      const free = await this.slots.take(currentOwner());
      try {
        const connection = await acquire();
        this.#taken.set(connection, free);
        return connection;
      } catch (error) {
        free();
        throw error;
      }
    };
    client.releaseConnection = async (connection) => {
      await release(connection);
      this.#taken.get(connection)?.();
      this.#taken.delete(connection);
    };
  }

  #repeatLocked(client: Runs): void {
    const runner = client.runner.bind(client);
    const transaction = client.transaction.bind(client);
    client.runner = (builder) => {
      const made = runner(builder);
      const run = made.run.bind(made);
      made.run = async () => this.untilUnlocked(run);
      return made;
    };
    client.transaction = async (...call) => this.untilUnlocked(async () => transaction(...call));
  }
}
