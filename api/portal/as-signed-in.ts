import type { RequestHandler } from 'express';
import { requireSession } from '../auth/session.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';

/** A vendor's files need a bearer token: a page among them must never be fetched with a session. */
const FILE_ADDRESS = /^\/[^/]+\/(?:modules|availableModules)\/[^/]+\/files(?:\/|$)/i;

/** Authorizes a request of the portal's pages with the session's access token, for the API's own routes. */
export function asSignedIn(api: ApiContext): RequestHandler {
  return async (request, _response, next) => {
    if (FILE_ADDRESS.test(request.path))
      throw new ProblemError(
        'not-found',
        'Files are not served here: logos and images are at /portal/media.',
      );
    const { accessToken } = await requireSession(api, request);
    request.headers.authorization = `Bearer ${accessToken}`;
    delete request.headers.cookie;
    delete request.headers['x-api-key'];
    next();
  };
}
