import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ProblemError } from '../http/problem.ts';

/** Bounds the imports per minute of an organization; in Redis where there is one, so that all processes count together. */
export class ImportRate {
  readonly #limiter: RateLimiterMemory | RateLimiterRedis;

  constructor(maxPerMinute: number, redis: Redis | null) {
    const options = { points: maxPerMinute, duration: 60, keyPrefix: 'imports' };
    const memory = new RateLimiterMemory(options);
    // While Redis is away each process counts for itself: an outage must not stop imports.
    this.#limiter =
      redis === null
        ? memory
        : new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory });
  }

  /** Counts one import. @throws ProblemError 429 when the minute's are used up. */
  async spend(organizationId: string): Promise<void> {
    try {
      await this.#limiter.consume(organizationId);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
      throw new ProblemError(
        'rate-limited',
        `The organization's imports of this minute are used up. Try again in ${seconds} s.`,
        {
          headers: { 'Retry-After': String(seconds) },
        },
      );
    }
  }
}
