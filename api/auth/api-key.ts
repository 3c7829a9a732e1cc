import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Histogram } from 'prom-client';
import { hashApiKey, isApiKey } from '../../shared/db/access/api-key.ts';
import { findApiKey, noteKeyUses } from '../../shared/db/access/api-keys.ts';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import type { Database } from '../../shared/db/database.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import type { KeyCheckResult } from '../operations/api-metrics.ts';
import { ProblemError } from '../http/problem.ts';

/** From the start of the read: well below the second in which a revocation must take effect. */
// Without a resolution the cache would measure ages by a clock that does not advance while the event loop is blocked.
const CACHE = { max: 10_000, ttl: 500, ttlResolution: 0 };
const RECORD_USES_MS = 10_000;

/**
 * Authorizes API keys. The grant of a key is read at most twice a second. A key whose read fails is refused: expired
 * cache entries are not used.
 */
export class ApiKeys {
  readonly #database: Database;
  readonly #log: Log;
  readonly #checks: Histogram<'result'>;
  /** Only of existing keys, so that unknown ones cannot evict them. */
  readonly #grants = new LRUCache<string, ApiKeyGrant>(CACHE);
  /** Shared by the requests of one key. A read that takes longer is not joined: it may have missed a revocation. */
  readonly #reads = new LRUCache<string, Promise<ApiKeyGrant | null>>(CACHE);
  #uses = new Map<string, Date>();
  #recording: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(database: Database, log: Log, checks: Histogram<'result'>) {
    this.#database = database;
    this.#log = log;
    this.#checks = checks;
    this.#timer = setInterval(() => void this.flush(), RECORD_USES_MS);
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
      return grant;
    } finally {
      this.#checks.observe({ result }, (performance.now() - startedMs) / 1_000);
    }
  }

  /** Writes the last uses that are not recorded yet. */
  async flush(): Promise<void> {
    this.#recording = this.#recording.then(() => this.#recordUses());
    await this.#recording;
  }

  /** Stops, and records the last uses. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #check(secret: string): Promise<ApiKeyGrant | null> {
    if (!isApiKey(secret)) return null;
    const sha256 = hashApiKey(secret);
    const name = sha256.toString('base64');
    const grant = this.#grants.get(name) ?? (await (this.#reads.get(name) ?? this.#read(name, sha256)));
    return grant !== null && grant.expiresAt.getTime() > Date.now() ? grant : null;
  }

  async #read(name: string, sha256: Buffer): Promise<ApiKeyGrant | null> {
    const start = performance.now();
    const read = findApiKey(this.#database, sha256);
    this.#reads.set(name, read);
    try {
      const grant = await read;
      if (grant !== null) this.#grants.set(name, grant, { start });
      return grant;
    } finally {
      this.#reads.delete(name);
    }
  }

  async #recordUses(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await noteKeyUses(this.#database, uses);
    } catch (error) {
      this.#log.warn({ err: error, keys: uses.size }, 'last uses of keys not recorded');
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
