import { EventEmitter, once } from 'node:events';
import { findFinishedImports } from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/models.ts';
import type { Database } from '../../shared/db/database.ts';
import { outsideSpans } from '../../shared/telemetry/current-span.ts';
import type { Log } from '../../shared/telemetry/log.ts';

/** Covers for notifications, which may be lost. */
const POLL_MS = 1_000;

/**
 * Waits for imports to end. On a notification, and every second, it queries all awaited imports at once: the row
 * decides, never the message.
 */
export class ImportWaiter {
  readonly #database: Database;
  readonly #log: Log;
  readonly #waiting = new Map<string, Set<(row: ImportRow | null) => void>>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #isStopped = false;
  readonly #timer: NodeJS.Timeout;
  #isPolling = false;
  #pollAgain = false;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#timer = setInterval(() => void this.#poll(), POLL_MS);
  }

  /** Wakes the requests that wait for one of these imports, because a notification says that they have changed. */
  wake(importIds: readonly string[]): void {
    for (const id of importIds) this.#changes.emit(id);
    if (importIds.some((id) => this.#waiting.has(id))) void this.#poll();
  }

  /** Polls now: an import may have ended before a request waited for it. */
  pollNow(): void {
    void this.#poll();
  }

  /** Resolves when the import has changed, the time is over, or the signal aborts. */
  async changed(importId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(timeoutMs);
    await once(this.#changes, importId, { signal: AbortSignal.any([timeout, signal]) }).catch(
      () => undefined,
    );
  }

  /** Ends all waiting, current and future, because the process is shutting down. */
  stopWaiting(): void {
    this.#isStopped = true;
    for (const callbacks of [...this.#waiting.values()])
      for (const callback of [...callbacks]) callback(null);
    // `once` also listens for `error`, which is not an import.
    for (const id of this.#changes.eventNames()) if (id !== 'error') this.#changes.emit(id);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves with the row of the import when it has ended; with null if the time is over or the signal aborts first. */
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
      if (signal.aborted || this.#isStopped) {
        finish(null);
        return;
      }
      signal.addEventListener('abort', onAbort);
      const others = this.#waiting.get(importId) ?? new Set();
      this.#waiting.set(importId, others.add(finish));
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #forget(importId: string, callback: (row: ImportRow | null) => void): void {
    const callbacks = this.#waiting.get(importId);
    callbacks?.delete(callback);
    if (callbacks?.size === 0) this.#waiting.delete(importId);
  }

  /** Runs one query at a time; the next one covers what was requested meanwhile. */
  async #poll(): Promise<void> {
    this.#pollAgain = true;
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      while (this.#pollAgain && this.#waiting.size > 0) {
        this.#pollAgain = false;
        const ended = await findFinishedImports(this.#database, [...this.#waiting.keys()]);
        for (const row of ended) for (const callback of [...(this.#waiting.get(row.id) ?? [])]) callback(row);
      }
    } catch (error) {
      outsideSpans(() => {
        this.#log.warn({ err: error }, 'awaited imports not read');
      });
    } finally {
      this.#isPolling = false;
    }
  }
}
