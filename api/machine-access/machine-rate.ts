import type { Response } from 'express';
import type { Redis } from 'ioredis';
import type { Config } from '../../shared/config/config.ts';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import { RATE_WINDOW_SECONDS, rateExceeded, RateLimit } from '../http/limits/rate-limit.ts';

interface Policy {
  readonly name: 'key' | 'organization';
  readonly quota: number;
  readonly limit: RateLimit;
}

/**
 * Limits the calls per minute of a key, and of all keys of a vendor organization together. Answers report the limits
 * in RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers).
 */
export class MachineRate {
  readonly #policies: readonly Policy[];
  readonly #header: string;

  constructor(config: Config['machineAccess'], redis: Redis | null) {
    const policy = (name: Policy['name'], quota: number): Policy[] =>
      quota === 0 ? [] : [{ name, quota, limit: new RateLimit(`machine-${name}`, quota, redis) }];
    this.#policies = [
      ...policy('key', config.maxRequestsPerMinutePerKey),
      ...policy('organization', config.maxRequestsPerMinutePerOrganization),
    ];
    this.#header = this.#policies
      .map(({ name, quota }) => `"${name}";q=${quota};w=${RATE_WINDOW_SECONDS}`)
      .join(', ');
  }

  /** Counts one call. @throws OverRateError if a limit of this minute is exceeded. */
  async spend({ id, organizationId }: ApiKeyGrant, response: Response): Promise<void> {
    if (this.#policies.length === 0) return;
    const uses = await Promise.all(
      this.#policies.map(async ({ name, limit }) => {
        const use = await limit.count(name === 'key' ? id : organizationId);
        return { name, ...use };
      }),
    );
    const fields = uses.map(
      ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
    );
    response.set('RateLimit-Policy', this.#header);
    response.set('RateLimit', fields.join(', '));
    const over = uses.filter(({ isOver }) => isOver);
    if (over.length === 0) return;
    const names = over.map(({ name }) => name).join(' and the ');
    throw rateExceeded(`The calls of the ${names}`, Math.max(...over.map((use) => use.resetSeconds)));
  }
}
