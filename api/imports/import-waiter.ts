import {
  endIn,
  findChangedImports,
  findMissingImports,
  type EndedImport,
  type WatchedImport,
} from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import type { Database } from '../../shared/db/database.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import { NotifiedWaiter, type Watch } from '../http/answer/notified-waiter.ts';

/** Whether the import has not ended. */
export function mayChange({ status }: Pick<ImportRow, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * Waits for imports to change or to end. The notification of an end contains it, as it was read after the commit; everything else is
 * read from the rows, with one query for all that wait.
 */
export class ImportWaiter extends NotifiedWaiter<ImportRow | EndedImport> {
  readonly #database: Database;

  constructor(database: Database, log: Log) {
    super(log, 'awaited imports not read', (ids, isPoll) => this.#report(ids, isPoll));
    this.#database = database;
  }

  /** Resolves with the row of the import when it has another version, or has ended; with null if the signal aborts first. */
  async changed(importId: string, seenVersion: number, signal: AbortSignal): Promise<ImportRow | null> {
    const watch = this.watch(importId, seenVersion);
    const news = await watch.next(signal).finally(() => watch.stop());
    // A watch of versions gets rows alone.
    return news !== null && 'version' in news ? news : null;
  }

  /** Resolves when the import has ended; with null if the time is over or the signal aborts first. */
  async ended(importId: string, timeoutMs: number, signal: AbortSignal): Promise<EndedImport | null> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const watch = this.watch(importId);
    return watch.next(AbortSignal.any([signal, over.signal])).finally(() => {
      clearTimeout(timer);
      watch.stop();
    });
  }

  /** Notices what a notification says. */
  notified(message: string): void {
    const ended = endIn(message);
    if (ended === null) {
      this.wake([message]);
      return;
    }
    const watches = this.watchesOf(ended.id);
    for (const watch of watches) if (watch.seenVersion === null) watch.notice(ended);
    if (watches.some(({ seenVersion }) => seenVersion !== null)) this.wake([ended.id]);
  }

  async #report(ids: readonly string[], isPoll: boolean): Promise<void> {
    // A watch that is made while the rows are read may have seen later ones.
    const watches = new Map(ids.map((id) => [id, this.watchesOf(id)]));
    const watched = ids.map((id) => ({ id, seenVersion: lowestSeen(watches.get(id) ?? []) }));
    for (const row of await findChangedImports(this.#database, watched))
      for (const watch of watches.get(row.id) ?? [])
        if (!mayChange(row) || (watch.seenVersion !== null && row.version !== watch.seenVersion))
          watch.notice(row);
    if (!isPoll) return;
    // Rows that are gone would never end.
    for (const id of await findMissingImports(this.#database, ids))
      for (const watch of this.watchesOf(id)) watch.end();
  }
}

/** The lowest version that a watch has seen; null if all wait for the end. */
function lowestSeen(watches: readonly Pick<Watch<unknown>, 'seenVersion'>[]): WatchedImport['seenVersion'] {
  const versions = watches.flatMap(({ seenVersion }) => seenVersion ?? []);
  return versions.length === 0 ? null : Math.min(...versions);
}
