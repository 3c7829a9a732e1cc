import type { Knex } from 'knex';
import type pg from 'pg';
import { FairSlots, type FreeSlots } from '../limits/fair-slots.ts';
import { currentOwner } from '../limits/owner.ts';

/** How the connections of a pool are shared among owners. */
export interface ConnectionSharing {
  /** Work that has waited this long for a connection is refused. */
  readonly maxWaitMs: number;
}

/** The part of Knex's client that hands out connections; its types leave it open. */
interface Connections {
  acquireConnection(): Promise<pg.ClientBase>;
  releaseConnection(connection: pg.ClientBase): Promise<void>;
}

/** Work of one owner that may wait for each of its connections: some milliseconds each, so that it waits about a second. */
const WAITING_PER_CONNECTION = 64;

/**
 * Shares the connections of a pool: an owner uses at most half of them, rounded up, and waits for them in turns with
 * the others. Statements that wait for one row's lock thus leave connections to everybody else. A transaction takes
 * one; work that has one must not want a second.
 */
export function shareConnections(
  database: Knex,
  poolSize: number,
  { maxWaitMs }: ConnectionSharing,
): FairSlots {
  const client = database.client as Connections;
  const maxPerOwner = Math.ceil(poolSize / 2);
  const slots = new FairSlots({
    resource: 'database requests',
    ownerKind: 'caller',
    max: poolSize,
    maxPerOwner,
    maxWaitingPerOwner: maxPerOwner * WAITING_PER_CONNECTION,
    maxWaitMs,
  });
  const acquire = client.acquireConnection.bind(client);
  const release = client.releaseConnection.bind(client);
  const taken = new Map<pg.ClientBase, FreeSlots>();
  client.acquireConnection = async () => {
    const free = await slots.take(currentOwner());
    try {
      const connection = await acquire();
      taken.set(connection, free);
      return connection;
    } catch (error) {
      free();
      throw error;
    }
  };
  client.releaseConnection = async (connection) => {
    await release(connection);
    taken.get(connection)?.();
    taken.delete(connection);
  };
  return slots;
}
