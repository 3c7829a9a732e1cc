import type { Request, RequestHandler } from 'express';
import { ProblemError } from './problem.ts';

/** A host that may stand in a header of ours: names, addresses and a port. */
const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i;

/**
 * The origin at which browsers see this service: that of PUBLIC_URL, or else the one that the request names.
 * @throws ProblemError 400 where the request names none that could be.
 */
export function ownOrigin(request: Request, publicUrl: string | null): string {
  if (publicUrl !== null) return new URL(publicUrl).origin;
  const host = request.get('host') ?? '';
  if (!HOST.test(host)) throw new ProblemError('request-invalid', 'The header Host is no name and port.');
  return `${request.protocol}://${host}`;
}

/** Refuses changes that a page of another origin had the browser make. */
export function requireOwnOrigin(publicUrl: string | null): RequestHandler {
  return (request, _response, next) => {
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (!isSafe && request.get('origin') !== ownOrigin(request, publicUrl)) {
      throw new ProblemError('auth-forbidden', 'The request does not come from a page of this service.');
    }
    next();
  };
}

/** Refuses what the browser says another site made it fetch; browsers that do not say have the cookie's own rule. */
export const refuseOtherSites: RequestHandler = (request, _response, next) => {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ProblemError('auth-forbidden', 'The request does not come from a page of this service.');
  next();
};
