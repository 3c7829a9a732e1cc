import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../shared/limits/at-most.ts';
import { PartProblem } from '../../shared/process/part-problem.ts';
import { discoverIssuer, fetchIssuerJson, type FetchJson } from './discover-issuer.ts';

/** A key that its issuer withdraws is trusted for at most this long. */
const KEYS = { ...atMost(1_000), ttl: 600_000, ttlResolution: 0 };
/** Of AUTH_ISSUER: after a rotation the first tokens with the new key wait for at most this long. */
const REFETCH_MS = 5_000;

/** How the keys of issuers are fetched. */
export interface KeyFetches {
  readonly fetchJson: FetchJson;
  /**
   * The least time between two fetches from one issuer. A token with an unknown key ID costs its sender nothing: without
   * this, it would make the service call the issuer each time.
   */
  readonly refetchMs: number;
  /** The same where the issuer has given no keys yet. */
  readonly retryMs: number;
}

interface IssuerEntry {
  /** Or why they could not be fetched. */
  readonly keys: JWTVerifyGetKey | PartProblem;
  readonly fetchedAt: number;
}

/** The keys of AUTH_ISSUER: the service starts before its issuer, and survives its outages. */
export function issuerKeys(issuer: string): JWTVerifyGetKey {
  const all = new IssuerKeys({ fetchJson: fetchIssuerJson, refetchMs: REFETCH_MS, retryMs: 0 });
  return async (header, token) => (await all.keysOf(issuer))(header, token);
}

/** The signing keys of issuers, by OpenID Connect Discovery; fetched when they are needed. */
export class IssuerKeys {
  readonly #how: KeyFetches;
  readonly #entries = new LRUCache<string, IssuerEntry>(KEYS);
  readonly #fetches = new Map<string, Promise<IssuerEntry>>();

  constructor(how: KeyFetches) {
    this.#how = how;
  }

  /** Finds the keys of an issuer. @throws PartProblem while the issuer does not give them */
  async keysOf(issuer: string): Promise<JWTVerifyGetKey> {
    const { refetchMs, retryMs } = this.#how;
    const known = this.#entries.get(issuer);
    const isUsable = known !== undefined && (!(known.keys instanceof PartProblem) || !isOld(known, retryMs));
    const entry = isUsable ? known : await this.#fetch(issuer);
    const keys = keysIn(entry);
    return async (header, token) => {
      try {
        return await keys(header, token);
      } catch (error) {
        // The issuer may have a new key.
        if (!(error instanceof errors.JWKSNoMatchingKey) || !isOld(entry, refetchMs)) throw error;
        return keysIn(await this.#fetch(issuer))(header, token);
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
    const keys = await this.#discover(issuer).catch(problemOf);
    const entry = { keys, fetchedAt: performance.now() };
    const isFailure = keys instanceof PartProblem;
    const known = this.#entries.get(issuer)?.keys;
    const hasKeys = known !== undefined && !(known instanceof PartProblem);
    // The keys that are known are trusted no longer than before, and other tokens can be verified by them.
    const kept = isFailure && hasKeys ? { ...entry, keys: known } : entry;
    this.#entries.set(issuer, kept, { noUpdateTTL: isFailure });
    return entry;
  }

  async #discover(issuer: string): Promise<JWTVerifyGetKey> {
    const { fetchJson } = this.#how;
    const { jwksUri } = await discoverIssuer(issuer, fetchJson);
    const { keys } = (await fetchJson(jwksUri)).members;
    // It checks the shape itself.
    return createLocalJWKSet({ keys } as JSONWebKeySet);
  }
}

function keysIn({ keys }: IssuerEntry): JWTVerifyGetKey {
  if (keys instanceof PartProblem) throw keys;
  return keys;
}

function problemOf(error: unknown): PartProblem {
  if (error instanceof PartProblem) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new PartProblem({ problem: `The keys cannot be fetched: ${reason}.`, advice: null }, error);
}

function isOld({ fetchedAt }: IssuerEntry, ms: number): boolean {
  return performance.now() - fetchedAt >= ms;
}
