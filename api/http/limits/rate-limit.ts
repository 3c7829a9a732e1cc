import { isIPv6 } from 'node:net';
import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { OverRateError, type RateUse } from '../../../shared/limits/fair-rate.ts';

/** The window in which calls are counted. */
export const RATE_WINDOW_SECONDS = 60;

/**
 * Adds a limit to the headers of an answer (draft-ietf-httpapi-ratelimit-headers-10): a caller may have several. A refusal
 * keeps them.
 */
export function reportRate(response: Response, use: RateUse): void {
  const { name, quota, windowSeconds, remaining, resetSeconds } = use;
  response.append('RateLimit-Policy', `"${name}";q=${quota};w=${windowSeconds}`);
  response.append('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}

/** Limits calls per minute, or another time; counted in Redis if it is configured, so that all processes share the limit. */
export class RateLimit {
  readonly #policy: Pick<RateUse, 'name' | 'quota' | 'windowSeconds'>;
  readonly #limiter: RateLimiterMemory | RateLimiterRedis;

  constructor(name: string, quota: number, redis: Redis | null, windowSeconds = RATE_WINDOW_SECONDS) {
    const options = { points: quota, duration: windowSeconds, keyPrefix: `rate-${name}` };
    const memory = new RateLimiterMemory(options);
    this.#policy = { name, quota, windowSeconds };
    // While Redis is unavailable each process counts for itself: an outage must not refuse calls.
    this.#limiter =
      redis === null
        ? memory
        : new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory });
  }

  /** Counts one call of a caller, who may have a quota of their own. */
  async count(callerId: string, quota = this.#policy.quota): Promise<RateUse & { readonly isOver: boolean }> {
    const { consumedPoints, msBeforeNext } = await this.#consume(callerId);
    return {
      ...this.#policy,
      quota,
      remaining: Math.max(0, quota - consumedPoints),
      resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
      isOver: consumedPoints > quota,
    };
  }

  /** Counts one call of a caller, and reports it. @throws OverRateError if the limit of this minute is exceeded. */
  async spend(callerId: string, what: string, response: Response, quota?: number): Promise<void> {
    const use = await this.count(callerId, quota);
    reportRate(response, use);
    if (use.isOver) throw rateExceeded(what, use.resetSeconds);
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

/** The refusal of a call beyond the limit of `what`. */
export function rateExceeded(what: string, seconds: number): OverRateError {
  return new OverRateError(`${what} for this minute are used up.`, seconds * 1_000);
}

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The network that the calls of an address count for: an IPv4 address itself, of an IPv6 address its /64, because a client has all
 * addresses of it.
 */
export function clientNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = (plain.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: Math.max(0, GROUPS - left.length - right.length) }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, NETWORK_GROUPS);
  return `${groups.map((each) => each.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
