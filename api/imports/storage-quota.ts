import { LRUCache } from 'lru-cache';
import type { Database } from '../../shared/db/database.ts';
import { isClaimed } from '../../shared/db/imports/idempotency-keys.ts';
import { countStoredBytes } from '../../shared/db/modules/stored-bytes.ts';
import { ProblemError } from '../http/problem.ts';

/** How long a sum is used, and for how many organizations. */
const SUMMED_MS = 10_000;
const REMEMBERED = 10_000;
/** Beside many uploads that end all the time, the last sum has to do. */
const MAX_SUMS = 5;

/** Whose upload it is. A repeated request stores nothing more. */
export interface Uploader {
  readonly organizationId: string;
  readonly idempotencyKey: string | null;
}

/**
 * The most bytes that an organization stores. Below the quota they are summed every ten seconds at most; only a fresh
 * sum refuses. Uploads that this process receives count from their start, so they do not exceed the quota together;
 * several processes may exceed it by what the others accept in ten seconds.
 */
export class StorageQuota {
  readonly #max: number;
  readonly #database: Database;
  /** Of each organization: what was summed, and what this process has stored since. */
  readonly #stored = new LRUCache<string, number>({ max: REMEMBERED, ttl: SUMMED_MS, noUpdateTTL: true });
  /** Of each organization: what this process is receiving. */
  readonly #receiving = new Map<string, number>();
  /** How many uploads have ended. */
  #ended = 0;

  constructor(max: number, database: Database) {
    this.#max = max;
    this.#database = database;
  }

  /** Reserves nothing yet. */
  open(uploader: Uploader): StorageReservation {
    return new StorageReservation(this, uploader);
  }

  /** @throws ProblemError 409 where so many bytes more would exceed the quota */
  async reserve({ organizationId, idempotencyKey }: Uploader, bytes: number): Promise<void> {
    let stored = this.#stored.get(organizationId);
    if (stored === undefined || this.#isExceeded(organizationId, stored, bytes)) {
      stored = await this.#sum(organizationId);
      this.#stored.delete(organizationId);
      this.#stored.set(organizationId, stored);
    }
    if (this.#isExceeded(organizationId, stored, bytes)) {
      const isRepeated =
        idempotencyKey !== null && (await isClaimed(this.#database, organizationId, idempotencyKey));
      if (!isRepeated) throw this.#refusal(stored);
    }
    this.#receive(organizationId, bytes);
  }

  /** Ends the reservation of an upload, which was stored or not. */
  release(organizationId: string, reservedBytes: number, storedBytes: number): void {
    this.#receive(organizationId, -reservedBytes);
    this.#ended += 1;
    const stored = this.#stored.get(organizationId);
    if (stored !== undefined) this.#stored.set(organizationId, stored + storedBytes);
  }

  /** A sum may lack an upload that ended while it was read, and that is no longer received either. */
  async #sum(organizationId: string): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      const ended = this.#ended;
      const stored = await countStoredBytes(this.#database, organizationId);
      if (this.#ended === ended || tries === MAX_SUMS) return stored;
    }
  }

  #isExceeded(organizationId: string, stored: number, bytes: number): boolean {
    return stored + (this.#receiving.get(organizationId) ?? 0) + bytes > this.#max;
  }

  #receive(organizationId: string, bytes: number): void {
    const receiving = (this.#receiving.get(organizationId) ?? 0) + bytes;
    if (receiving === 0) this.#receiving.delete(organizationId);
    else this.#receiving.set(organizationId, receiving);
  }

  #refusal(stored: number): ProblemError {
    return new ProblemError(
      'quota-exceeded',
      `The organization stores ${stored} bytes of the ${this.#max} that it may store, and the upload does not fit. ` +
        'Nothing was stored. Delete old revisions, or delete modules that are no longer needed with ?purge=true. ' +
        'GET /usage of the organization shows what it stores.',
    );
  }
}

/** What one upload may store. */
export class StorageReservation {
  readonly #quota: StorageQuota;
  readonly #uploader: Uploader;
  #bytes = 0;

  constructor(quota: StorageQuota, uploader: Uploader) {
    this.#quota = quota;
    this.#uploader = uploader;
  }

  /** Reserves at least so many bytes. @throws ProblemError 409 where they exceed the quota */
  async atLeast(bytes: number): Promise<void> {
    const more = bytes - this.#bytes;
    if (more <= 0) return;
    await this.#quota.reserve(this.#uploader, more);
    this.#bytes += more;
  }

  /** Ends the reservation; so many bytes are stored. */
  end(storedBytes: number): void {
    this.#quota.release(this.#uploader.organizationId, this.#bytes, storedBytes);
  }
}
