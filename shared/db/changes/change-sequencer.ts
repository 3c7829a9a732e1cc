import type { Log } from '../../telemetry/log.ts';
import { forService } from '../../limits/owner.ts';
import { outsideSpans } from '../../telemetry/current-span.ts';
import type { Database } from '../database.ts';
import type { Notifier } from '../notifications.ts';
import { sequenceChanges } from './sequence-changes.ts';

/** So long changes wait for others, so that a run has those of many requests. */
const SOON_MS = 50;

/**
 * Gives positions to changes after their commits, one run at a time in a process, and notifies all processes of the
 * modules. A process may die between its commit and this: the next run of any other covers for it.
 */
export class ChangeSequencer {
  readonly #database: Database;
  readonly #notifier: Notifier;
  readonly #log: Log;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: Database, notifier: Notifier, log: Log) {
    this.#database = database;
    this.#notifier = notifier;
    this.#log = log;
  }

  /** Resolves when everything that was committed before the call has its position, or an attempt has failed. */
  async sequence(): Promise<void> {
    if (this.#running === null) return this.#start();
    // The one that runs may have started before the commit.
    this.#next ??= this.#running.then(async () => {
      this.#next = null;
      return this.#start();
    });
    return this.#next;
  }

  /** Gives positions to what was committed before the call within a moment, together with what comes until then. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.sequence();
    }, SOON_MS);
  }

  /** Gives positions to what waits for it, and waits for what runs, notifications included. */
  async close(): Promise<void> {
    if (this.#timer !== null) void this.sequence();
    await this.#next;
    await this.#running;
    await this.#notifier.close();
  }

  async #start(): Promise<void> {
    // What it waits for is committed: this run has it.
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running = this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      // For everybody, not for the request that started it.
      const moduleIds = await forService(() => sequenceChanges(this.#database));
      for (const id of moduleIds) this.#notifier.changed(id);
    } catch (error) {
      // Changes wait in the outbox for the next run.
      outsideSpans(() => this.#log.warn({ err: error }, 'changes not sequenced'));
    }
  }
}
