import type { Request } from 'express';
import type { Histogram } from 'prom-client';
import { hashApiKey, isApiKey } from '../../shared/db/access/api-key.ts';
import { findApiKey, noteKeyUses } from '../../shared/db/access/api-keys.ts';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import type { Database } from '../../shared/db/database.ts';
import type { NotificationListener } from '../../shared/db/notification-listener.ts';
import { API_KEYS_CHANNEL } from '../../shared/db/notifications.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import type { KeyCheckResult } from '../operations/api-metrics.ts';
import { ProblemError } from '../http/problem.ts';

/** With the heartbeat's 250 ms this stays well below the second in which a revocation must be felt. */
const TRUST_MS = 600;
const MAX_REMEMBERED = 10_000;
const NOTE_USES_MS = 10_000;

/** Tells what a request's `X-Api-Key` opens. */
export interface ApiKeyCheck {
  /** @throws ProblemError 401, one and the same for every key that does not open anything. */
  authenticate(request: Request): Promise<ApiKeyGrant>;
  /** Writes the last uses that are still to be noted. */
  flush(): Promise<void>;
}

/**
 * Checks API keys. Good keys are remembered and forgotten by notification; when the
 * notification channel has not proven itself of late, every check asks the database.
 */
export class ApiKeys implements ApiKeyCheck {
  readonly #database: Database;
  readonly #listener: NotificationListener;
  readonly #log: Log;
  readonly #remembered = new Map<string, ApiKeyGrant>();
  /** Counts what may have ended a key: an answer that was on its way meanwhile is not remembered. */
  #changes = 0;
  #uses = new Map<string, Date>();
  #noting: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;
  readonly #checks: Histogram<'result'>;

  constructor(database: Database, listener: NotificationListener, log: Log, checks: Histogram<'result'>) {
    this.#checks = checks;
    this.#database = database;
    this.#listener = listener;
    this.#log = log;
    listener.onMessage(API_KEYS_CHANNEL, (clientId) => {
      this.#forget((grant) => grant.clientId === clientId);
    });
    listener.onLost(() => {
      this.#forget(() => true);
    });
    this.#timer = setInterval(() => void this.flush(), NOTE_USES_MS);
  }

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

  async flush(): Promise<void> {
    this.#noting = this.#noting.then(() => this.#noteUses());
    await this.#noting;
  }

  /** Checks no more, and notes the last uses. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #check(secret: string): Promise<ApiKeyGrant | null> {
    return isApiKey(secret) ? this.#find(hashApiKey(secret)) : null;
  }

  async #find(sha256: Buffer): Promise<ApiKeyGrant | null> {
    const name = sha256.toString('base64');
    const isTrusted = this.#listener.unprovenMs() < TRUST_MS;
    const remembered = isTrusted ? this.#remembered.get(name) : undefined;
    if (remembered !== undefined && remembered.expiresAt.getTime() > Date.now()) return remembered;
    this.#remembered.delete(name);
    const changes = this.#changes;
    const found = await findApiKey(this.#database, sha256);
    if (found !== null && isTrusted && changes === this.#changes) this.#remember(name, found);
    return found;
  }

  #remember(name: string, grant: ApiKeyGrant): void {
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(name, grant);
  }

  #forget(isConcerned: (grant: ApiKeyGrant) => boolean): void {
    this.#changes += 1;
    for (const [name, grant] of this.#remembered) if (isConcerned(grant)) this.#remembered.delete(name);
  }

  async #noteUses(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await noteKeyUses(this.#database, uses);
    } catch (error) {
      this.#log.warn({ err: error, keys: uses.size }, 'last uses of keys not noted');
    }
  }
}

/** The same for a missing, malformed, unknown, expired or revoked key: it tells nothing about keys. */
function refusal(): ProblemError {
  return new ProblemError('auth-api-key-invalid', 'The call needs a valid API key in the header X-Api-Key.', {
    headers: { 'WWW-Authenticate': 'ApiKey realm="api"' },
  });
}
