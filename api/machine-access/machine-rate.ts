import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { MachineAccessConfig } from '../../shared/config/config.ts';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import { ProblemError } from '../http/problem.ts';

const WINDOW_SECONDS = 60;

interface Policy {
  readonly name: 'key' | 'organization';
  readonly quota: number;
  readonly limiter: RateLimiterMemory | RateLimiterRedis;
}

interface Spent {
  readonly policy: Policy;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly isOver: boolean;
}

/**
 * Bounds the calls per minute of a key, and of all keys of a vendor organization together; in Redis where
 * there is one, so that all processes count together. Answers tell it in the fields RateLimit-Policy and
 * RateLimit (draft-ietf-httpapi-ratelimit-headers).
 */
export class MachineRate {
  readonly #policies: readonly Policy[];
  readonly #header: string;

  constructor(config: MachineAccessConfig, redis: Redis | null) {
    const { maxRequestsPerMinutePerKey, maxRequestsPerMinutePerOrganization } = config;
    this.#policies = [
      policy('key', maxRequestsPerMinutePerKey, redis),
      policy('organization', maxRequestsPerMinutePerOrganization, redis),
    ].filter(({ quota }) => quota > 0);
    this.#header = this.#policies
      .map(({ name, quota }) => `"${name}";q=${quota};w=${WINDOW_SECONDS}`)
      .join(', ');
  }

  /** Counts one call. @throws ProblemError 429 when a minute's are used up. */
  async spend({ id, organizationId }: ApiKeyGrant, response: Response): Promise<void> {
    if (this.#policies.length === 0) return;
    const spent = await Promise.all(
      this.#policies.map((each) => consume(each, each.name === 'key' ? id : organizationId)),
    );
    response.set('RateLimit-Policy', this.#header);
    response.set(
      'RateLimit',
      spent.map((each) => `"${each.policy.name}";r=${each.remaining};t=${each.resetSeconds}`).join(', '),
    );
    const over = spent.filter(({ isOver }) => isOver);
    if (over.length > 0) throw refusal(over);
  }
}

function policy(name: Policy['name'], quota: number, redis: Redis | null): Policy {
  const options = { points: quota, duration: WINDOW_SECONDS, keyPrefix: `machine-${name}` };
  const memory = new RateLimiterMemory(options);
  // While Redis is away each process counts for itself: an outage must not stop the vendors' back ends.
  const limiter =
    redis === null
      ? memory
      : new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory });
  return { name, quota, limiter };
}

async function consume(policy: Policy, who: string): Promise<Spent> {
  try {
    return { ...spentOf(policy, await policy.limiter.consume(who)), isOver: false };
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return { ...spentOf(policy, error), isOver: true };
  }
}

function spentOf(policy: Policy, { remainingPoints, msBeforeNext }: RateLimiterRes) {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return { policy, remaining: Math.max(0, remainingPoints), resetSeconds };
}

function refusal(over: readonly Spent[]): ProblemError {
  const seconds = Math.max(...over.map(({ resetSeconds }) => resetSeconds));
  const whose = over.map(({ policy }) => policy.name).join(' and the ');
  return new ProblemError(
    'rate-limited',
    `The calls of the ${whose} for this minute are used up. Try again in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
