import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RATE_WINDOW_SECONDS, RateLimit } from '../http/limits/rate-limit.ts';
import { atMost } from '../../shared/limits/at-most.ts';
import { priorityAfter } from '../../shared/queue/import-queue.ts';

/** The rate at which an organization's imports keep the regular lane. */
const IMPORTS_PER_SECOND = 1;
/** For how many organizations the last import is remembered. */
const REMEMBERED = 10_000;

/** The last import of an organization. */
interface LastImport {
  /** Imports at once: each adds one, and each second takes one away. */
  readonly level: number;
  readonly atMs: number;
  readonly priority: number;
}

/**
 * Limits the imports of an organization in a minute, and gives each a priority: the more it imports at once, the later
 * they run, and in a lane of their own, so that its backlog does not delay the imports of others.
 */
export class ImportRate {
  readonly #limit: RateLimit;
  /** An organization that keeps importing keeps its priority, so that its imports stay in their order. */
  readonly #last = new LRUCache<string, LastImport>({
    ...atMost(REMEMBERED),
    ttl: RATE_WINDOW_SECONDS * 1_000,
    ttlResolution: 0,
  });

  constructor(quota: number, redis: Redis | null) {
    this.#limit = new RateLimit('imports', quota, redis);
  }

  /** Counts an import; returns its priority, 0 for the regular lane. The organization may have a quota of its own. @throws OverRateError */
  async spend(organizationId: string, response: Response, quota?: number): Promise<number> {
    await this.#limit.spend(organizationId, "The organization's imports", response, quota);
    const atMs = performance.now();
    const last = this.#last.get(organizationId) ?? { level: 0, atMs, priority: 0 };
    const left = Math.max(0, last.level - ((atMs - last.atMs) / 1_000) * IMPORTS_PER_SECOND);
    const priority = Math.max(last.priority, priorityAfter(left));
    this.#last.set(organizationId, { level: left + 1, atMs, priority });
    return priority;
  }
}
