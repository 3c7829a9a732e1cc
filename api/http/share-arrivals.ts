import type { RequestHandler } from 'express';
import type { FairTurns } from '../../shared/limits/fair-turns.ts';
import { credentialName } from './credential.ts';

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
