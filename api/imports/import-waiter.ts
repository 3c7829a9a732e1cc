import { EventEmitter, once } from 'node:events';
import { findFinishedImports } from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/models.ts';
import type { Database } from '../../shared/db/database.ts';
import type { Log } from '../../shared/telemetry/log.ts';

/** Stands behind the notifications, which may be lost. */
const POLL_MS = 1_000;

/**
 * Waits for imports to end. Woken by notifications and by a poll, it asks PostgreSQL for all waiting
 * imports at once: the row decides, never the message.
 */
export class ImportWaiter {
  readonly #database: Database;
  readonly #log: Log;
  readonly #waiting = new Map<string, Set<(row: ImportRow | null) => void>>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #hasGivenUp = false;
  readonly #poll: NodeJS.Timeout;
  #asking = false;
  #askAgain = false;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#poll = setInterval(() => void this.#ask(), POLL_MS);
  }

  /** Wakes those who wait for one of these imports: a notification says that they have changed. */
  wake(importIds: readonly string[]): void {
    for (const id of importIds) this.#changes.emit(id);
    if (importIds.some((id) => this.#waiting.has(id))) void this.#ask();
  }

  /** Asks now: for an import that may have ended before anybody waited for it. */
  askNow(): void {
    void this.#ask();
  }

  /** Resolves when the import has changed, the time is over, or the signal comes. */
  async changed(importId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(timeoutMs);
    await once(this.#changes, importId, { signal: AbortSignal.any([timeout, signal]) }).catch(
      () => undefined,
    );
  }

  /** Ends all waiting, now and from now on: the process stops. */
  giveUp(): void {
    this.#hasGivenUp = true;
    for (const callbacks of [...this.#waiting.values()])
      for (const callback of [...callbacks]) callback(null);
    // Whoever waits for an event hears `error` too; that one is nobody's import.
    for (const id of this.#changes.eventNames()) if (id !== 'error') this.#changes.emit(id);
  }

  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** Resolves with the row of the import when it has ended, with null when the time is over or the signal comes first. */
  async ended(importId: string, timeoutMs: number, signal: AbortSignal): Promise<ImportRow | null> {
    return new Promise((resolve) => {
      const finish = (row: ImportRow | null) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#forget(importId, finish);
        resolve(row);
      };
      const onAbort = () => {
        finish(null);
      };
      const timer = setTimeout(onAbort, timeoutMs);
      if (signal.aborted || this.#hasGivenUp) {
        finish(null);
        return;
      }
      signal.addEventListener('abort', onAbort);
      const others = this.#waiting.get(importId) ?? new Set();
      this.#waiting.set(importId, others.add(finish));
    });
  }

  close(): void {
    clearInterval(this.#poll);
  }

  #forget(importId: string, callback: (row: ImportRow | null) => void): void {
    const callbacks = this.#waiting.get(importId);
    callbacks?.delete(callback);
    if (callbacks?.size === 0) this.#waiting.delete(importId);
  }

  /** One question at a time; what comes meanwhile is asked for by the next one. */
  async #ask(): Promise<void> {
    this.#askAgain = true;
    if (this.#asking) return;
    this.#asking = true;
    try {
      while (this.#askAgain && this.#waiting.size > 0) {
        this.#askAgain = false;
        const ended = await findFinishedImports(this.#database, [...this.#waiting.keys()]);
        for (const row of ended) for (const callback of [...(this.#waiting.get(row.id) ?? [])]) callback(row);
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'waiting imports could not be read');
    } finally {
      this.#asking = false;
    }
  }
}
