import type { Response } from 'express';
import type { Redis } from 'ioredis';
import type { Config } from '../../shared/config/config.ts';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import { rateExceeded, RateLimit, reportRate } from '../http/limits/rate-limit.ts';

interface Policy {
  readonly name: 'key' | 'organization';
  readonly limit: RateLimit;
}

/** Limits the calls per minute of a key, and of all keys of a vendor organization together. */
export class MachineRate {
  readonly #policies: readonly Policy[];

  constructor(config: Config['machineAccess'], redis: Redis | null) {
    const policy = (name: Policy['name'], quota: number): Policy[] =>
      quota === 0 ? [] : [{ name, limit: new RateLimit(name, quota, redis) }];
    this.#policies = [
      ...policy('key', config.maxRequestsPerMinutePerKey),
      ...policy('organization', config.maxRequestsPerMinutePerOrganization),
    ];
  }

  /** Counts one call, and reports it. @throws OverRateError if a limit of this minute is exceeded. */
  async spend({ id, organizationId }: ApiKeyGrant, response: Response): Promise<void> {
    const uses = await Promise.all(
      this.#policies.map(({ name, limit }) => limit.count(name === 'key' ? id : organizationId)),
    );
    for (const use of uses) reportRate(response, use);
    const over = uses.filter(({ isOver }) => isOver);
    if (over.length === 0) return;
    const names = over.map(({ name }) => name).join(' and the ');
    throw rateExceeded(`The calls of the ${names}`, Math.max(...over.map((use) => use.resetSeconds)));
  }
}
