import type { ChangeSequencer } from '../../shared/db/changes/change-sequencer.ts';
import { findChangedModules, newestCursor } from '../../shared/db/changes/read-changes.ts';
import type { Database } from '../../shared/db/database.ts';
import { forService } from '../../shared/limits/owner.ts';
import { outsideSpans } from '../../shared/telemetry/current-span.ts';
import type { Log } from '../../shared/telemetry/log.ts';

/** Covers for notifications, which may be lost. */
const POLL_MS = 1_000;

/** Notices new changes of one module from its start on, also those between two calls of `next`. */
export class ChangeWatch {
  readonly #stop: (watch: ChangeWatch) => void;
  #isWoken = false;
  #resolve: (() => void) | null = null;

  constructor(stop: (watch: ChangeWatch) => void) {
    this.#stop = stop;
  }

  /** Resolves when there may be new changes, or the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isWoken && !signal.aborted)
      await new Promise<void>((resolve) => {
        const end = () => {
          signal.removeEventListener('abort', end);
          resolve();
        };
        this.#resolve = end;
        signal.addEventListener('abort', end);
      });
    this.#isWoken = false;
    this.#resolve = null;
  }

  wake(): void {
    this.#isWoken = true;
    this.#resolve?.();
  }

  stop(): void {
    this.#stop(this);
  }
}

/**
 * Wakes the requests and streams that wait for changes of a module. However many wait, a notification costs no query but
 * their own, and one query a second covers for notifications that were lost.
 */
export class ChangeWaiter {
  readonly #database: Database;
  readonly #sequencer: ChangeSequencer;
  readonly #log: Log;
  readonly #watching = new Map<string, Set<ChangeWatch>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  #seenPosition = 0;
  #isPolling = false;

  constructor(database: Database, sequencer: ChangeSequencer, log: Log) {
    this.#database = database;
    this.#sequencer = sequencer;
    this.#log = log;
    this.#timer = setInterval(() => void this.#poll(), POLL_MS);
  }

  /** Aborts when the process is shutting down. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  watch(moduleId: string): ChangeWatch {
    const others = this.#watching.get(moduleId) ?? new Set();
    const watch = new ChangeWatch((ended) => {
      others.delete(ended);
      if (others.size === 0) this.#watching.delete(moduleId);
    });
    this.#watching.set(moduleId, others.add(watch));
    return watch;
  }

  /** Wakes those that wait for changes of these modules. */
  wake(moduleIds: readonly string[]): void {
    for (const id of moduleIds) for (const watch of this.#watching.get(id) ?? []) watch.wake();
  }

  /** Ends all waiting, current and future, because the process is shutting down. */
  stopWaiting(): void {
    this.#stopping.abort(null);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#watching.size === 0) return;
    this.#isPolling = true;
    try {
      await this.#sequencer.sequence();
      await forService(async () => {
        const { position: head } = await newestCursor(this.#database);
        const watched = [...this.#watching.keys()];
        if (head !== this.#seenPosition)
          this.wake(await findChangedModules(this.#database, watched, this.#seenPosition));
        this.#seenPosition = head;
      });
    } catch (error) {
      outsideSpans(() => this.#log.warn({ err: error }, 'awaited changes not read'));
    } finally {
      this.#isPolling = false;
    }
  }
}
