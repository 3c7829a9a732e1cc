import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RATE_WINDOW_SECONDS, RateLimit } from '../http/rate-limit.ts';

/** An organization's first imports in a minute have the regular lane; each further so many have the next priority. */
const IMPORTS_PER_PRIORITY = 8;
/** BullMQ's lowest priority. */
const LAST_PRIORITY = 2 ** 21;
/** For how many organizations the last priority is remembered. */
const REMEMBERED = 10_000;

/**
 * Limits the imports of an organization in a minute, and gives each a priority: the more it imports, the later they
 * run, and in a lane of their own, so that its backlog does not delay the imports of others.
 */
export class ImportRate {
  readonly #limit: RateLimit;
  /** An organization that keeps importing keeps its priority, so that its imports stay in their order. */
  readonly #last = new LRUCache<string, number>({
    max: REMEMBERED,
    ttl: RATE_WINDOW_SECONDS * 1_000,
    ttlResolution: 0,
  });

  constructor(quota: number, redis: Redis | null) {
    this.#limit = new RateLimit('imports', quota, redis);
  }

  /** Counts an import; returns its priority, 0 for the regular lane. @throws ProblemError 429 */
  async spend(organizationId: string): Promise<number> {
    const { used } = await this.#limit.spend(organizationId, "The organization's imports");
    const last = this.#last.get(organizationId) ?? 0;
    const priority = Math.max(last, Math.min(Math.floor((used - 1) / IMPORTS_PER_PRIORITY), LAST_PRIORITY));
    this.#last.set(organizationId, priority);
    return priority;
  }
}
