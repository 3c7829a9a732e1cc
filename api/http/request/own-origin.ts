import type { Request, RequestHandler } from 'express';
import { ProblemError } from '../problem.ts';

/** A host that is safe to use in a response header: a name or an address, and a port. */
const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i;

/**
 * The origin of this service for browsers: that of PUBLIC_URL, otherwise that of the request's Host header.
 * @throws ProblemError 400 if that header is not a valid host.
 */
export function ownOrigin(request: Request, publicUrl: string | null): string {
  if (publicUrl !== null) return new URL(publicUrl).origin;
  const host = request.get('host') ?? '';
  if (!HOST.test(host))
    throw new ProblemError('request-invalid', 'The header Host is not a valid host name and port.');
  return `${request.protocol}://${host}`;
}

/** Refuses changes that a page of another origin requests. */
export function requireOwnOrigin(publicUrl: string | null): RequestHandler {
  return (request, _response, next) => {
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (!isSafe && request.get('origin') !== ownOrigin(request, publicUrl)) {
      throw new ProblemError('auth-forbidden', 'The request does not come from a page of this service.');
    }
    next();
  };
}

/**
 * Refuses requests from other origins, also of the same site, where applications are. A browser without Sec-Fetch-Site
 * does not let another origin read the answer.
 */
export const refuseOtherSites: RequestHandler = (request, _response, next) => {
  const site = request.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ProblemError('auth-forbidden', 'The request does not come from a page of this service.');
  next();
};
