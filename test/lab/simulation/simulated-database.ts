import type { Database } from '../../../shared/db/database.ts';
import type { DatabaseServer, StatementOptions, Transaction } from './database-server.ts';
import type { Machine } from './world.ts';

/** A process's pool of connections to the simulated database, or a transaction in it. */
export class SimulatedDatabase {
  readonly server: DatabaseServer;
  readonly #machine: Machine;
  readonly #isAsynchronous: boolean;
  readonly #transaction: Transaction | null;

  constructor(
    server: DatabaseServer,
    machine: Machine,
    isAsynchronous = false,
    transaction: Transaction | null = null,
  ) {
    this.server = server;
    this.#machine = machine;
    this.#isAsynchronous = isAsynchronous;
    this.#transaction = transaction;
  }

  /** One statement, and so one round trip. */
  run<Result>(
    what: string,
    statement: (now: Date) => Result,
    options: StatementOptions = {},
  ): Promise<Result> {
    const isAsynchronous = this.#isAsynchronous;
    return this.server.link.call(this.#machine, what, () =>
      this.server.run(this.#transaction, statement, { ...options, isAsynchronous }),
    );
  }

  /** The name and the form of Knex. */
  async transaction<Result>(act: (transaction: Database) => Promise<Result>): Promise<Result> {
    const { server } = this;
    const transaction = await server.link.call(this.#machine, 'begin', () => server.begin(this.#machine));
    const inner = new SimulatedDatabase(server, this.#machine, false, transaction);
    try {
      const result = await act(asDatabase(inner));
      await server.link.call(this.#machine, 'commit', () => server.commit(transaction));
      return result;
    } catch (error) {
      // Also where the connection is lost: then the server notices it.
      server.rollbackSoon(transaction);
      throw error;
    }
  }
}

/** As the product's functions take it: in a simulation they are replaced by those that know what it is. */
export function asDatabase(database: SimulatedDatabase): Database {
  return database as unknown as Database;
}

/** The argument of `asDatabase`. */
export function simulated(database: Database): SimulatedDatabase {
  return database as unknown as SimulatedDatabase;
}
