import { hash } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { FairTurns } from '../../shared/limits/fair-turns.ts';

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
