import { type Request, type RequestHandler, type Response, Router } from 'express';
import { findOrganizations } from '../../shared/db/access/organizations.ts';
import type { Session } from '../../shared/db/access/sessions/sessions.ts';
import { endBrowser } from '../../shared/db/notifications/push-subscriptions.ts';
import { findVisibleMedia } from '../../shared/db/modules/located-file.ts';
import { addBackChannelLogout } from '../auth/back-channel-logout.ts';
import { requireSession, sessionOf, signOut } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { addSignIn } from '../auth/sign-in.ts';
import type { ApiContext } from '../context.ts';
import { sendFile } from '../http/answer/file-answer.ts';
import { bodyKind } from '../http/request/json-bodies.ts';
import { ownOrigin, refuseOtherSites, requireOwnOrigin } from '../http/request/own-origin.ts';
import { found, methodNotAllowed, notFoundHandler, ProblemError } from '../http/problem.ts';
import { mountedAt } from '../http/server/observe-requests.ts';
import { timestamp } from '../http/answer.ts';
import { isStorable } from '../http/schema.ts';
import { pagePolicy, PortalBuild, SERVICE_WORKER } from './portal-page.ts';
import type { SessionAnswer, SignOutAnswer } from './session-answer.ts';

/**
 * The web portal: its page and assets, sign-in, and the API's own routes for a signed-in person. Without
 * PORTAL_CLIENT_ID it has no routes.
 */
export function portalRouter(api: ApiContext, apiRoutes: RequestHandler): Router {
  const router = Router();
  const { sessions } = api;
  if (sessions === null) return router;
  addBackChannelLogout(router, api, sessions);
  router.use(requireOwnOrigin(api.config.server.publicUrl));
  addSignIn(router, api, sessions);
  addSession(router, api, sessions);
  const toApi = [mountedAt('/portal/api'), refuseOtherSites, asSignedIn(api), apiRoutes];
  router.use('/api', ...toApi, notFoundHandler);
  addMedia(router, api);
  addPage(router, api);
  return router;
}

function addSession(router: Router, api: ApiContext, sessions: Sessions): void {
  router.get('/session', refuseOtherSites, async (request, response) => {
    const session = await sessionOf(api, request);
    response.set('Cache-Control', 'no-store').json(session === null ? null : await sessionItem(api, session));
  });
  router.delete('/session', async (request, response) => {
    const endpoint = await endpointOf(api, request, response);
    if (endpoint !== null) await endBrowser(api.database, endpoint);
    const answer: SignOutAnswer = { continueAt: await signOut(api, sessions, request, response) };
    response.set('Cache-Control', 'no-store').json(answer);
  });
  router.all('/session', methodNotAllowed('GET', 'DELETE'));
}

const SIGN_OUT = bodyKind(8 * 1_024);

/** The push service's address of the browser that signs out: who uses it next is not shown the person's alerts. */
async function endpointOf(api: ApiContext, request: Request, response: Response): Promise<string | null> {
  const body = await api.jsonBodies.read(request, response, SIGN_OUT);
  const text = body === null ? '' : Buffer.from(body.bytes).toString();
  return text === '' || !isStorable(text) ? null : text;
}

async function sessionItem(
  api: ApiContext,
  { id: sessionId, subject, name, accessToken, expiresAt }: Session,
): Promise<SessionAnswer> {
  const { principal, roles, organizations } = await membershipOf(api, accessToken);
  const existing = new Set(organizations.map(({ id }) => id));
  return {
    id: sessionId,
    subject,
    name,
    isOperator: principal.isOperator,
    expiresAt: timestamp(expiresAt),
    organizations: organizations.map(({ id, kind, name: organizationName }) => ({
      id,
      kind,
      name: organizationName,
      isAdmin: roles.get(id)?.has('OrganizationAdmin') ?? false,
    })),
    missingOrganizationIds: [...roles.keys()].filter((id) => !existing.has(id)),
  };
}

/** The person of an access token, their roles, and the organizations of these that exist. */
async function membershipOf(api: ApiContext, accessToken: string) {
  const principal = await api.access.byToken(accessToken);
  const roles = await api.access.rolesOf(principal);
  return { principal, roles, organizations: await findOrganizations(api.database, [...roles.keys()]) };
}

const SHA_256 = /^[0-9a-f]{64}$/;

function addMedia(router: Router, api: ApiContext): void {
  router.get('/media/:sha256', refuseOtherSites, async (request, response) => {
    const { accessToken } = await requireSession(api, request);
    const { organizations } = await membershipOf(api, accessToken);
    const idsOf = (wanted: string) => organizations.flatMap(({ id, kind }) => (kind === wanted ? [id] : []));
    const sight = { vendorIds: idsOf('vendor'), farmerIds: idsOf('farmer') };
    const sha256 = String(request.params['sha256']);
    const file = SHA_256.test(sha256) ? await findVisibleMedia(api.database, sha256, sight) : null;
    const visible = found(file, 'There is no such file among the modules that you may see.');
    await sendFile({ api, request, response, authority: null }, visible);
  });
  router.all('/media/:sha256', methodNotAllowed('GET'));
}

function addPage(router: Router, api: ApiContext): void {
  const build = PortalBuild.read();
  router.get('/assets/:name', async (request, response) => {
    found(await build?.send(request, response, request.params.name), 'There is no such file.');
  });
  router.get(`/${SERVICE_WORKER}`, async (request, response) => {
    response.set({
      'Content-Security-Policy': "default-src 'none'",
      // Without it the scope ends with a slash.
      'Service-Worker-Allowed': '/portal',
    });
    found(await build?.send(request, response, SERVICE_WORKER, 'no-cache'), 'There is no such file.');
  });
  router.get('/{*page}', (request, response) => {
    const page = found(build, 'The portal was not built: npm run build.').pageFor(request);
    response.vary('Accept-Language, Cookie').set({
      'Content-Security-Policy': pagePolicy(
        ownOrigin(request, api.config.server.publicUrl),
        api.applicationOrigins,
      ),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
    });
    response.type('html').send(page);
  });
  router.all('/{*page}', methodNotAllowed('GET'));
}

/** A vendor's files need a bearer token: a page among them must never be fetched with a session. */
const FILE_ADDRESS = /^\/[^/]+\/(?:modules|availableModules)\/[^/]+\/files(?:\/|$)/i;

/** Authorizes a request of the portal's pages with the session's access token, for the API's own routes. */
function asSignedIn(api: ApiContext): RequestHandler {
  return async (request, _response, next) => {
    if (FILE_ADDRESS.test(request.path))
      throw new ProblemError(
        'not-found',
        'Files are not served here: logos and images are at /portal/media.',
      );
    const { accessToken, name, idToken } = await requireSession(api, request);
    api.access.keepPerson(request, { name, idToken });
    request.headers.authorization = `Bearer ${accessToken}`;
    delete request.headers.cookie;
    delete request.headers['x-api-key'];
    next();
  };
}
