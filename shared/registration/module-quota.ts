import { LRUCache } from 'lru-cache';
import type { Database } from '../db/database.ts';
import { countModules } from '../db/modules/registry-state.ts';

/** How long a count is used, and for how many organizations. */
const COUNTED_MS = 10_000;
const REMEMBERED = 10_000;

/**
 * The most modules of an organization. They are counted every ten seconds at most, so that a new module costs no
 * statement more: processes together may exceed the quota by what they import in that time.
 */
export class ModuleQuota {
  readonly max: number;
  readonly #counts = new LRUCache<string, number>({
    max: REMEMBERED,
    ttl: COUNTED_MS,
    noUpdateTTL: true,
  });

  constructor(max: number) {
    this.max = max;
  }

  /** Whether the organization has as many modules as it may; if not, one more is counted. */
  async isUsedUp(database: Database, organizationId: string): Promise<boolean> {
    const count = this.#counts.get(organizationId) ?? (await countModules(database, organizationId));
    const isUsedUp = count >= this.max;
    this.#counts.set(organizationId, isUsedUp ? count : count + 1);
    return isUsedUp;
  }
}
