import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ProblemError } from './problem.ts';

/** The time for which calls are counted together. */
export const RATE_WINDOW_SECONDS = 60;

/** What a counted call leaves. */
export interface RateUse {
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly isOver: boolean;
}

/** Bounds calls per minute; in Redis where there is one, so that all processes count together. */
export class RateLimit {
  readonly #quota: number;
  readonly #limiter: RateLimiterMemory | RateLimiterRedis;

  constructor(keyPrefix: string, quota: number, redis: Redis | null) {
    const options = { points: quota, duration: RATE_WINDOW_SECONDS, keyPrefix };
    const memory = new RateLimiterMemory(options);
    this.#quota = quota;
    // While Redis is away each process counts for itself: an outage must not stop anybody.
    this.#limiter =
      redis === null
        ? memory
        : new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory });
  }

  /** Counts one call of a caller. */
  async count(callerId: string): Promise<RateUse> {
    const { consumedPoints, remainingPoints, msBeforeNext } = await this.#consume(callerId);
    return {
      remaining: Math.max(0, remainingPoints),
      resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
      isOver: consumedPoints > this.#quota,
    };
  }

  /** Counts one call of a caller. @throws ProblemError 429 when the minute's are used up. */
  async spend(callerId: string, what: string): Promise<void> {
    const { isOver, resetSeconds } = await this.count(callerId);
    if (isOver) throw rateExceeded(what, resetSeconds);
  }

  async #consume(callerId: string): Promise<RateLimiterRes> {
    try {
      return await this.#limiter.consume(callerId);
    } catch (error) {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    }
  }
}

/** The refusal of a call beyond the limit; `what` is used up. */
export function rateExceeded(what: string, seconds: number): ProblemError {
  return new ProblemError('rate-limited', `${what} this minute are used up. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
