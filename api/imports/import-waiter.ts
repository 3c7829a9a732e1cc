import {
  findChangedImports,
  findMissingImports,
  type WatchedImport,
} from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import type { Database } from '../../shared/db/database.ts';
import { forService } from '../../shared/limits/owner.ts';
import { outsideSpans } from '../../shared/telemetry/current-span.ts';
import type { Log } from '../../shared/telemetry/log.ts';

/** Covers for notifications, which may be lost. */
const POLL_MS = 1_000;

interface Waiter {
  /** Waits for a change after this version; null: for the end. */
  readonly seenVersion: number | null;
  readonly finish: (row: ImportRow | null) => void;
}

/** Whether the import has not ended. */
export function mayChange({ status }: Pick<ImportRow, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * Waits for imports to change or to end. Every second it queries all awaited imports at once, and after a notification
 * those that it names: the row decides, never the message. However many requests and streams wait, one query runs at a
 * time.
 */
export class ImportWaiter {
  readonly #database: Database;
  readonly #log: Log;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #isStopped = false;
  readonly #timer: NodeJS.Timeout;
  /** The awaited imports that are queried next. */
  readonly #toQuery = new Set<string>();
  #isPolling = false;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.wake([...this.#waiting.keys()]);
      void this.#endMissing();
    }, POLL_MS);
  }

  /** Queries those of these imports that are awaited, because they may have changed. */
  wake(importIds: readonly string[]): void {
    for (const id of importIds) if (this.#waiting.has(id)) this.#toQuery.add(id);
    void this.#poll();
  }

  /** Resolves with the row of the import when it has changed after this version; with null if the signal aborts first. */
  async changed(importId: string, seenVersion: number, signal: AbortSignal): Promise<ImportRow | null> {
    return this.#wait(importId, seenVersion, signal);
  }

  /** Resolves with the row of the import when it has ended; with null if the time is over or the signal aborts first. */
  async ended(importId: string, timeoutMs: number, signal: AbortSignal): Promise<ImportRow | null> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    return this.#wait(importId, null, AbortSignal.any([signal, over.signal])).finally(() =>
      clearTimeout(timer),
    );
  }

  /** Ends all waiting, current and future, because the process is shutting down. */
  stopWaiting(): void {
    this.#isStopped = true;
    for (const waiters of [...this.#waiting.values()]) for (const { finish } of [...waiters]) finish(null);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #wait(importId: string, seenVersion: number | null, signal: AbortSignal): Promise<ImportRow | null> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        seenVersion,
        finish: (row) => {
          signal.removeEventListener('abort', onAbort);
          this.#forget(importId, waiter);
          resolve(row);
        },
      };
      const onAbort = () => waiter.finish(null);
      if (signal.aborted || this.#isStopped) {
        resolve(null);
        return;
      }
      signal.addEventListener('abort', onAbort);
      const others = this.#waiting.get(importId) ?? new Set();
      this.#waiting.set(importId, others.add(waiter));
    });
  }

  #forget(importId: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(importId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(importId);
  }

  /** Ends the waiting for imports whose rows are gone: they would never end. */
  async #endMissing(): Promise<void> {
    if (this.#waiting.size === 0) return;
    try {
      const awaited = [...this.#waiting.keys()];
      for (const id of await forService(() => findMissingImports(this.#database, awaited)))
        for (const { finish } of [...(this.#waiting.get(id) ?? [])]) finish(null);
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    outsideSpans(() => this.#log.warn({ err: error }, 'awaited imports not read'));
  }

  /** Runs one query at a time; the next one covers what was requested meanwhile. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      while (this.#toQuery.size > 0) {
        const watched = [...this.#toQuery].map((id) => ({ id, seenVersion: this.#seenVersion(id) }));
        this.#toQuery.clear();
        // For all that wait, not for the request that started the poll.
        const changed = await forService(() => findChangedImports(this.#database, watched));
        for (const row of changed) this.#report(row);
      }
    } catch (error) {
      this.#warn(error);
    } finally {
      this.#isPolling = false;
    }
  }

  /** The lowest version that a waiter of the import has seen; null if all wait for its end. */
  #seenVersion(importId: string): WatchedImport['seenVersion'] {
    const versions = [...(this.#waiting.get(importId) ?? [])].flatMap(({ seenVersion }) => seenVersion ?? []);
    return versions.length === 0 ? null : Math.min(...versions);
  }

  #report(row: ImportRow): void {
    for (const { seenVersion, finish } of [...(this.#waiting.get(row.id) ?? [])])
      if (seenVersion === null ? !mayChange(row) : row.version > seenVersion) finish(row);
  }
}
