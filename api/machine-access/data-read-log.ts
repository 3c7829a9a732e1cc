import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { noteDataReads, type DataRead } from '../../shared/db/access/data-reads.ts';
import { atMost } from '../../shared/limits/at-most.ts';
import { BatchedNotes } from '../auth/batched-notes.ts';

/** A note that is forgotten is written again, which changes nothing. */
const MAX_REMEMBERED = 100_000;
/** Until the next batch. What is beyond it is noted at the module's next read. */
export const MAX_WAITING = 100_000;

/** Which module has read what of whom, for farmers: one row a day. Who reads does not wait for it. */
export class DataReadLog extends BatchedNotes {
  /** By day, organization, module and kind: what was noted. */
  readonly #noted = new LRUCache<string, true>(atMost(MAX_REMEMBERED));
  #waiting = new Map<string, DataRead>();

  /** Notes that the answer to a module's request has data of these organizations. An answer to HEAD has none. */
  note(
    { method }: Pick<Request, 'method'>,
    { moduleId, kind }: Pick<DataRead, 'moduleId' | 'kind'>,
    organizationIds: Iterable<string>,
  ): void {
    if (method === 'HEAD') return;
    const createdAt = new Date();
    const ofModule = `${createdAt.toISOString().slice(0, 10)} ${moduleId} ${kind}`;
    for (const organizationId of organizationIds) {
      const key = `${ofModule} ${organizationId}`;
      if (this.#noted.get(key) === true || this.#waiting.size >= MAX_WAITING) continue;
      this.#noted.set(key, true);
      this.#waiting.set(key, { organizationId, moduleId, kind, createdAt });
    }
  }

  protected async write(): Promise<void> {
    const reads = this.#waiting;
    if (reads.size === 0) return;
    this.#waiting = new Map();
    try {
      await noteDataReads(this.database, [...reads.values()]);
    } catch (error) {
      this.#keep(reads);
      this.log.warn({ err: error, reads: reads.size }, 'reads of data not noted');
    }
  }

  /** Keeps what could not be written for the next batch: a module may not read again today. */
  #keep(reads: ReadonlyMap<string, DataRead>): void {
    for (const [key, read] of reads)
      if (this.#waiting.size < MAX_WAITING) this.#waiting.set(key, read);
      else this.#noted.delete(key);
  }
}
