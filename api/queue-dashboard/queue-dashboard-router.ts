import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { AppViewRoute } from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import { Router, type Request, type RequestHandler } from 'express';
import type { ImportQueue } from '../../shared/queue/import-queue.ts';
import type { Principal } from '../auth/access-token.ts';
import { sessionOf } from '../auth/session.ts';
import type { ApiContext } from '../context.ts';
import { htmlPage } from '../http/answer/html.ts';
import { refuseOtherSites, requireOwnOrigin } from '../http/request/own-origin.ts';
import { ProblemError } from '../http/problem.ts';

/** The dashboard sets styles from scripts; scripts and everything else are allowed only from this origin. */
const DASHBOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/**
 * The operator's view of the queue: it shows what waits and runs, and changes nothing. What failed, and the deliveries of
 * webhooks, are in the database, and on the portal's page of operators, to which it links. It uses the portal's sign-in: without
 * PORTAL_CLIENT_ID it has no routes.
 */
export function queueDashboardRouter(api: ApiContext): Router {
  const router = Router();
  if (api.sessions === null) return router;
  router.use(noStore, requireOwnOrigin(api.config.server.publicUrl));
  router.use('/api', refuseOtherSites);
  router.use(onlyOperators(api));
  router.use(readOnly, makeBoard(api));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set({ 'Content-Security-Policy': DASHBOARD_POLICY, 'Cache-Control': 'no-store' });
  next();
};

const NOT_OPERATOR = htmlPage(
  'Queues',
  '/problems/style.css',
  `<h1>Queues</h1>
<p class="refused" role="alert">The queue dashboard is for operators.</p>
<p><a href="/portal">To the portal</a></p>
<p><a href="/portal/sign-in?page=/queues/">Sign in as an operator</a></p>`,
);

/** Authorizes sessions of operators. A person without a session is redirected to the sign-in; a program gets 401 or 403. */
function onlyOperators(api: ApiContext): RequestHandler {
  return async (request, response, next) => {
    const isPage = request.method === 'GET' && request.accepts(['json', 'html']) === 'html';
    const principal = await signedInPrincipal(api, request);
    if (principal === null) {
      if (!isPage) throw new ProblemError('auth-token-invalid', 'Sign in at /portal/sign-in.');
      response.redirect(303, `/portal/sign-in?page=${encodeURIComponent(request.originalUrl)}`);
    } else if (principal.isOperator) next();
    else if (isPage) response.status(403).type('html').send(NOT_OPERATOR);
    else throw new ProblemError('auth-forbidden', 'The queue dashboard is for operators.');
  };
}

/** The person who is signed in; null without a session, and where the session outlives its token. */
async function signedInPrincipal(api: ApiContext, request: Request): Promise<Principal | null> {
  const session = await sessionOf(api, request);
  if (session === null) return null;
  return api.access.byToken(session.accessToken).catch((error: unknown) => {
    if (error instanceof ProblemError && error.code === 'auth-token-invalid') return null;
    throw error;
  });
}

const readOnly: RequestHandler = (request, _response, next) => {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ProblemError('method-not-allowed', 'The dashboard changes nothing.', {
      headers: { Allow: 'GET, HEAD' },
    });
  next();
};

function laneAdapter(lane: ImportQueue, description: string): BullMQAdapter {
  // The board expects BullMQ's own queue type; ours differs only in its backend.
  return new BullMQAdapter(lane as unknown as Queue, { readOnlyMode: true, description });
}

/** What the page of the library would load of other origins: fonts, which the policy refuses. */
const OTHER_ORIGINS = /<link[^>]*href="https?:[^>]*>/g;

/** Serves the board's page without what is of other origins. */
class OwnOriginAdapter extends ExpressAdapter {
  override setEntryRoute({ method, route, handler }: AppViewRoute): this {
    this.app[method](route, (_request, response, next) => {
      const { name, params } = handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      response.render(name, params, (error: Error | null, page: string) => {
        if (error === null) response.send(page.replaceAll(OTHER_ORIGINS, ''));
        else next(error);
      });
    });
    return this;
  }
}

function makeBoard(api: ApiContext): RequestHandler {
  const adapter = new OwnOriginAdapter();
  adapter.setBasePath('/queues');
  const { regular, bulk } = api.queue.lanes;
  createBullBoard({
    queues: [
      laneAdapter(regular, 'Imports of module packages'),
      laneAdapter(bulk, 'Imports of organizations with more than a few in a minute'),
    ],
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Module imports',
        // Deliveries are no jobs: their backlog is with the failed imports.
        miscLinks: [{ text: 'Webhook deliveries and failed imports', url: '/portal/operations' }],
      },
    },
  });
  return adapter.getRouter() as RequestHandler;
}
