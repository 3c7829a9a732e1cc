import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Request, RequestHandler } from 'express';
import { FairRate, OverRateError, type RateUse } from '../../../shared/limits/fair-rate.ts';
import { FairTurns } from '../../../shared/limits/fair-turns.ts';
import { atMost } from '../../../shared/limits/at-most.ts';
import { reportRate } from './rate-limit.ts';

/** A page of the portal, or a script that starts, sends some hundred requests at once. */
const KEPT_REQUEST_SECONDS = 10;

/** Decides which callers may start a request now. It protects the event loop of one process, which counts by itself. */
export interface Admission {
  /** Of the event loop: requests with different credentials begin in turns. */
  readonly arrivals: FairTurns;
  /** Of the event loop: each organization starts its requests in turns with the others. */
  readonly turns: FairTurns;
  /** Requests of an organization with tokens. */
  readonly requestRate: FairRate;
  readonly refusedCallers: RefusedCallers;
}

/** Opens the admission of requests, of which each organization has so many in a second. */
export function openAdmission(requestsPerSecond: (owner: string) => number): Admission {
  return {
    arrivals: new FairTurns(),
    turns: new FairTurns(),
    requestRate: new FairRate({
      what: 'requests',
      perSecond: requestsPerSecond,
      keptSeconds: KEPT_REQUEST_SECONDS,
    }),
    refusedCallers: new RefusedCallers(),
  };
}

/** What is forgotten is found out again. */
const REMEMBERED = 10_000;
/** `Retry-After` counts in seconds. */
const SECOND_MS = 1_000;

interface Refusal {
  readonly message: string;
  readonly use: RateUse;
  readonly untilMs: number;
}

/**
 * Callers whose rate is used up. Until the time in their `Retry-After` they are refused by their credential, before
 * anything else is done for their requests: a client that does not wait costs next to nothing.
 */
export class RefusedCallers {
  readonly #refusals = new LRUCache<string, Refusal>(atMost(REMEMBERED));

  /** Remembers the refusal of a request, and what its owner has left. */
  add(request: Request, { message, retryMs }: OverRateError, use: RateUse): void {
    const name = nameOf(request);
    const untilMs = performance.now() + Math.ceil(retryMs / SECOND_MS) * SECOND_MS;
    if (name !== null) this.#refusals.set(name, { message, use, untilMs });
  }

  /** Refuses the requests of these callers. */
  handler(): RequestHandler {
    return (request, response, next) => {
      const refusal = this.#refusals.size === 0 ? null : this.#find(request);
      if (refusal === null) {
        next();
        return;
      }
      const leftMs = refusal.untilMs - performance.now();
      reportRate(response, { ...refusal.use, resetSeconds: Math.ceil(leftMs / SECOND_MS) });
      throw new OverRateError(refusal.message, leftMs);
    };
  }

  #find(request: Request): Refusal | null {
    const name = nameOf(request);
    const refusal = name === null ? undefined : this.#refusals.get(name);
    if (name === null || refusal === undefined) return null;
    if (refusal.untilMs > performance.now()) return refusal;
    this.#refusals.delete(name);
    return null;
  }
}

/** The paths of an organization, and those of a key, which has one module. */
const OWNER =
  /^\/(?:api\/v8\.0|portal\/api)\/(?:Alerts\/[^/?]+\/)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![^/?])/i;

/**
 * A person may belong to several organizations, of which one is refused: the path names it. Null where it names none:
 * calls about an organization, such as an operator's, are not those of its members.
 */
function nameOf(request: Request): string | null {
  const owner = OWNER.exec(request.originalUrl)?.[1];
  const credential = credentialName(request);
  return owner === undefined || credential === null ? null : `${credential} ${owner.toLowerCase()}`;
}

const names = new WeakMap<Request, string | null>();

/** A name for the credential that a request arrived with, which reveals nothing of it; null where it has none. */
export function credentialName(request: Request): string | null {
  const known = names.get(request);
  if (known !== undefined) return known;
  const credential = request.get('authorization') ?? request.get('x-api-key') ?? request.get('cookie');
  const name = credential === undefined ? null : hash('sha256', credential, 'base64');
  // The portal replaces a session by its token.
  names.set(request, name);
  return name;
}

/**
 * Lets requests with different credentials begin in turns, before anything is done with them: to find out whose request
 * it is costs time too, and a burst with one credential must not take it from the others.
 */
export function shareArrivals(arrivals: FairTurns): RequestHandler {
  return async (request, _response, next) => {
    const credential = credentialName(request);
    if (credential !== null) await arrivals.awaitTurn(credential);
    // A client that hung up meanwhile costs nothing more.
    if (!request.destroyed) next();
  };
}
