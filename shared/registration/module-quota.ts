import { LRUCache } from 'lru-cache';
import type { Database } from '../db/database.ts';
import { countModules } from '../db/modules/registry-state.ts';
import { atMost } from '../limits/at-most.ts';

/** The lifetime of a count, and the number of organizations with one. */
const COUNTED_MS = 10_000;
const REMEMBERED = 10_000;

/**
 * The most modules of an organization. Below the quota they are counted every ten seconds at most, so that a new module
 * costs no statement more: processes together may exceed the quota by what they import in that time.
 */
export class ModuleQuota {
  readonly #counts = new LRUCache<string, number>({
    ...atMost(REMEMBERED),
    ttl: COUNTED_MS,
    noUpdateTTL: true,
  });

  /** Whether the organization has as many modules as it may; if not, one more is counted. */
  async isUsedUp(database: Database, organizationId: string, max: number): Promise<boolean> {
    const remembered = this.#counts.get(organizationId) ?? max;
    // Only a fresh count refuses: a module may have been deleted since.
    const count = remembered < max ? remembered : await countModules(database, organizationId);
    const isUsedUp = count >= max;
    this.#counts.set(organizationId, isUsedUp ? count : count + 1);
    return isUsedUp;
  }
}
