import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { OutboundFetch } from '../../shared/outbound/outbound-fetch.ts';
import { withoutEndSlashes } from '../../shared/config/without-end-slashes.ts';
import { atMost } from '../../shared/limits/at-most.ts';
import { isObject } from '../http/schema.ts';

/** The keys of an issuer cannot be fetched, or are not keys. The message says which, for the log. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
}

/** Far more than an issuer's documents have. */
export const OUTBOUND_LIMITS = { maxBytes: 64 * 1024, timeoutMs: 10_000 };
/** A key that its issuer withdraws is trusted for at most this long. */
const KEYS = { ...atMost(1_000), ttl: 600_000, ttlResolution: 0 };
/**
 * The least time between two fetches from one issuer. A token with an unknown key ID costs its sender nothing: without
 * this, it would make the service call the issuer each time.
 */
const REFETCH_MS = 30_000;

interface IssuerEntry {
  /** Null: the fetch has failed. */
  readonly keys: JWTVerifyGetKey | null;
  readonly reason: string;
  readonly fetchedAt: number;
}

/** The signing keys of issuers that vendors chose, by OpenID Connect Discovery; fetched when they are needed. */
export class IssuerKeys {
  readonly #outbound: OutboundFetch;
  readonly #entries = new LRUCache<string, IssuerEntry>(KEYS);
  readonly #fetches = new Map<string, Promise<IssuerEntry>>();

  constructor(outbound: OutboundFetch) {
    this.#outbound = outbound;
  }

  /** Finds the keys of an issuer. @throws IssuerUnavailableError */
  async keysOf(issuer: string): Promise<JWTVerifyGetKey> {
    const known = this.#entries.get(issuer);
    const isUsable = known !== undefined && (known.keys !== null || !isOld(known));
    const { keys, fetchedAt } = requireKeys(isUsable ? known : await this.#fetch(issuer));
    return async (header, token) => {
      try {
        return await keys(header, token);
      } catch (error) {
        // The issuer may have a new key.
        if (!(error instanceof errors.JWKSNoMatchingKey) || !isOld({ fetchedAt })) throw error;
        return requireKeys(await this.#fetch(issuer)).keys(header, token);
      }
    };
  }

  /** Requests that need the keys of one issuer at the same time share a fetch. */
  async #fetch(issuer: string): Promise<IssuerEntry> {
    const running = this.#fetches.get(issuer);
    if (running !== undefined) return running;
    const fetching = this.#fetchEntry(issuer).finally(() => this.#fetches.delete(issuer));
    this.#fetches.set(issuer, fetching);
    return fetching;
  }

  async #fetchEntry(issuer: string): Promise<IssuerEntry> {
    try {
      const entry = { keys: await this.#discover(issuer), reason: '', fetchedAt: performance.now() };
      this.#entries.set(issuer, entry);
      return entry;
    } catch (error) {
      const failed = { keys: null, reason: messageOf(error), fetchedAt: performance.now() };
      const known = this.#entries.get(issuer);
      // The keys that are known are trusted no longer than before, and other tokens can be verified by them.
      const kept =
        known === undefined || known.keys === null ? failed : { ...known, fetchedAt: failed.fetchedAt };
      this.#entries.set(issuer, kept, { noUpdateTTL: true });
      return failed;
    }
  }

  async #discover(issuer: string): Promise<JWTVerifyGetKey> {
    const discovery = await this.#json(`${withoutEndSlashes(issuer)}/.well-known/openid-configuration`);
    if (discovery['issuer'] !== issuer)
      throw new IssuerUnavailableError('the discovery document is from another issuer');
    const address = discovery['jwks_uri'];
    if (typeof address !== 'string')
      throw new IssuerUnavailableError('the discovery document has no jwks_uri');
    const { keys } = await this.#json(address);
    // It checks the shape itself.
    return createLocalJWKSet({ keys } as JSONWebKeySet);
  }

  async #json(address: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await this.#outbound.fetch(address, OUTBOUND_LIMITS);
    if (status !== 200) throw new IssuerUnavailableError(`the issuer answered with status ${status}`);
    const value = jsonObject(body);
    if (value === null) throw new IssuerUnavailableError('the issuer did not answer with a JSON object');
    return value;
  }
}

/** The JSON object of an answer; null where it is something else. */
export function jsonObject(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function requireKeys({ keys, reason, fetchedAt }: IssuerEntry) {
  if (keys === null) throw new IssuerUnavailableError(reason);
  return { keys, fetchedAt };
}

function isOld({ fetchedAt }: Pick<IssuerEntry, 'fetchedAt'>): boolean {
  return performance.now() - fetchedAt >= REFETCH_MS;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
