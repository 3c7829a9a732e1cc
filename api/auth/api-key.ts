import type { Request } from 'express';
import type { Histogram } from 'prom-client';
import { isApiKey } from '../../shared/db/access/api-key.ts';
import { hashOfSecret } from '../../shared/db/access/secrets.ts';
import { findApiKey, noteKeyUses, type ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import type { Database } from '../../shared/db/database.ts';
import { addCalls } from '../../shared/db/statistics/module-statistics.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import type { KeyCheckResult } from '../operations/api-metrics.ts';
import { ProblemError } from '../http/problem.ts';
import { RecentReads } from '../http/limits/shared-reads.ts';
import { BatchedNotes } from './batched-notes.ts';

/** Authorizes API keys. */
export class ApiKeys extends BatchedNotes {
  readonly #checks: Histogram<'result'>;
  readonly #grants = new RecentReads<ApiKeyGrant>();
  #uses = new Map<string, Date>();
  /** By the module. */
  #calls = new Map<string, number>();

  constructor(database: Database, log: Log, checks: Histogram<'result'>) {
    super(database, log);
    this.#checks = checks;
  }

  /**
   * The grant of the request's `X-Api-Key`.
   * @throws ProblemError 401, the same for every key without a grant.
   */
  async authenticate(request: Request): Promise<ApiKeyGrant> {
    const startedMs = performance.now();
    let result: KeyCheckResult = 'failed';
    try {
      const grant = await this.#check(request.get('x-api-key') ?? '');
      result = grant === null ? 'refused' : 'accepted';
      if (grant === null) throw refusal();
      this.#uses.set(grant.id, new Date());
      this.#calls.set(grant.moduleId, (this.#calls.get(grant.moduleId) ?? 0) + 1);
      return grant;
    } finally {
      this.#checks.observe({ result }, (performance.now() - startedMs) / 1_000);
    }
  }

  async #check(secret: string): Promise<ApiKeyGrant | null> {
    if (!isApiKey(secret)) return null;
    const sha256 = hashOfSecret(secret);
    const name = sha256.toString('base64');
    const grant = await this.#grants.find(name, () => findApiKey(this.database, sha256));
    return grant !== null && grant.expiresAt.getTime() > Date.now() ? grant : null;
  }

  protected async write(): Promise<void> {
    const [uses, calls] = [this.#uses, this.#calls];
    if (uses.size === 0) return;
    this.#uses = new Map();
    this.#calls = new Map();
    try {
      await noteKeyUses(this.database, uses);
      // Not repeated where the answer is lost: it would count them twice.
      await addCalls(this.database, calls);
    } catch (error) {
      this.log.warn({ err: error, keys: uses.size }, 'last use of API keys not recorded');
    }
  }
}

/** The same for a missing, malformed, unknown, expired or revoked key, so that it reveals nothing about keys. */
function refusal(): ProblemError {
  return new ProblemError(
    'auth-api-key-invalid',
    'The request needs a valid API key in the header X-Api-Key.',
    {
      headers: { 'WWW-Authenticate': 'ApiKey realm="api"' },
    },
  );
}
