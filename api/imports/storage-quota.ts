import { LRUCache } from 'lru-cache';
import type { Database } from '../../shared/db/database.ts';
import type { OrganizationLimits } from '../../shared/db/access/organization-limits.ts';
import { isClaimed } from '../../shared/db/idempotency-keys.ts';
import { countStoredBytes } from '../../shared/db/modules/stored-bytes.ts';
import { ProblemError } from '../http/problem.ts';
import { atMost } from '../../shared/limits/at-most.ts';

/** The lifetime of a sum, and the number of organizations with one. */
const SUMMED_MS = 10_000;
const REMEMBERED = 10_000;

/** The owner of an upload. A repeated request stores nothing more. */
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
  readonly #limits: Pick<OrganizationLimits, 'of'>;
  readonly #database: Database;
  readonly #uploadDays: number;
  /** For each organization: the summed bytes, and those that this process has stored since. */
  readonly #stored = new LRUCache<string, number>({
    ...atMost(REMEMBERED),
    ttl: SUMMED_MS,
    noUpdateTTL: true,
  });
  /** For each organization: the bytes that this process is receiving. */
  readonly #receiving = new Map<string, number>();
  /** For each organization: the number of uploads that this process has stored. */
  readonly #uploads = new LRUCache<string, number>(atMost(REMEMBERED));

  /** `uploadDays`: the time for which uploads are kept that became no revision. */
  constructor(limits: Pick<OrganizationLimits, 'of'>, database: Database, uploadDays: number) {
    this.#limits = limits;
    this.#database = database;
    this.#uploadDays = uploadDays;
  }

  /** The reservation of one upload, of nothing yet. */
  open(uploader: Uploader) {
    let reserved = 0;
    return {
      /** Grows to this many bytes, if it is smaller. @throws ProblemError 409 where they exceed the quota */
      growTo: async (bytes: number) => {
        const more = bytes - reserved;
        if (more <= 0) return;
        await this.#reserve(uploader, more);
        reserved += more;
      },
      /** Ends the reservation, of which this many bytes were stored. */
      end: (storedBytes: number) => this.#release(uploader.organizationId, reserved, storedBytes),
    };
  }

  async #reserve({ organizationId, idempotencyKey }: Uploader, bytes: number): Promise<void> {
    const { maxStoredBytesPerOrganization: max } = await this.#limits.of(organizationId);
    if (this.#isExceeded(organizationId, bytes, max)) await this.#sum(organizationId);
    if (this.#isExceeded(organizationId, bytes, max)) {
      const isRepeated =
        idempotencyKey !== null && (await isClaimed(this.#database, organizationId, idempotencyKey));
      if (!isRepeated) throw refusal(this.#stored.get(organizationId) ?? max, max, this.#uploadDays);
    }
    this.#receive(organizationId, bytes);
  }

  #release(organizationId: string, reservedBytes: number, storedBytes: number): void {
    this.#receive(organizationId, -reservedBytes);
    if (storedBytes === 0) return;
    this.#uploads.set(organizationId, (this.#uploads.get(organizationId) ?? 0) + 1);
    const stored = this.#stored.get(organizationId);
    if (stored !== undefined) this.#stored.set(organizationId, stored + storedBytes);
  }

  /** Sums again where an upload ended meanwhile: the sum may lack it, and it is no longer being received either. */
  async #sum(organizationId: string): Promise<void> {
    for (;;) {
      const uploads = this.#uploads.get(organizationId);
      const stored = await countStoredBytes(this.#database, organizationId);
      if (this.#uploads.get(organizationId) !== uploads) continue;
      // Its time begins anew.
      this.#stored.delete(organizationId);
      this.#stored.set(organizationId, stored);
      return;
    }
  }

  /** Whether these bytes may exceed the quota: with an unknown sum they may. */
  #isExceeded(organizationId: string, bytes: number, max: number): boolean {
    const stored = this.#stored.get(organizationId) ?? max;
    return stored + (this.#receiving.get(organizationId) ?? 0) + bytes > max;
  }

  #receive(organizationId: string, bytes: number): void {
    const receiving = (this.#receiving.get(organizationId) ?? 0) + bytes;
    if (receiving === 0) this.#receiving.delete(organizationId);
    else this.#receiving.set(organizationId, receiving);
  }
}

function refusal(stored: number, max: number, uploadDays: number): ProblemError {
  return new ProblemError(
    'quota-exceeded',
    `The organization stores ${stored} bytes of the ${max} that it may store, and the upload does not fit. ` +
      'Nothing was stored. Delete old revisions, or modules that are no longer needed, with ?purge=true. ' +
      `The upload of a rejected or failed import counts too, until it is deleted after ${uploadDays} ${uploadDays === 1 ? 'day' : 'days'}. ` +
      'GET /usage of the organization shows what it stores.',
  );
}
