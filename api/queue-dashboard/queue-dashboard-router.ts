import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import express, { Router } from 'express';
import type { Request, RequestHandler } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { endSession } from '../../shared/db/access/operator-sessions.ts';
import type { ApiContext } from '../context.ts';
import { ProblemError } from '../http/problem.ts';
import { requireOwnOrigin } from '../http/own-origin.ts';
import { DASHBOARD_COOKIE, requireSession, signInOperator } from './dashboard-session.ts';
import { signInPage } from './sign-in-page.ts';
import { sessionToken, setCookie } from '../auth/session-cookie.ts';

/** The dashboard sets styles from scripts; scripts and everything else come from here alone. */
const DASHBOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

const SIGN_INS_PER_MINUTE = 10;

/** The operator's view of the queue: look at jobs, retry failed ones. */
export function queueDashboardRouter(api: ApiContext): Router {
  const router = Router();
  router.use(noStore, requireOwnOrigin(api.config.server.publicUrl));
  addSignIn(router, api);
  router.use(requireSession(api), onlyRetries, makeBoard(api));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set({ 'Content-Security-Policy': DASHBOARD_POLICY, 'Cache-Control': 'no-store' });
  next();
};

/** The queue is a hint, the row the truth: whatever else the dashboard could change would only confuse. */
const onlyRetries: RequestHandler = (request, _response, next) => {
  const isRetry =
    request.method === 'PUT' && /^\/api\/queues\/[^/]+\/(?:[^/]+\/retry|retry\/failed)$/.test(request.path);
  if (request.method !== 'GET' && request.method !== 'HEAD' && !isRetry) {
    throw new ProblemError(
      'method-not-allowed',
      'The dashboard retries failed jobs, and changes nothing else.',
      {
        headers: { Allow: 'GET, PUT' },
      },
    );
  }
  next();
};

function makeBoard(api: ApiContext): RequestHandler {
  const adapter = new ExpressAdapter();
  adapter.setBasePath('/queues');
  // The board knows one kind of queue type; ours differs in its backend alone.
  const queue = api.queue.queue as unknown as Queue;
  createBullBoard({
    queues: [new BullMQAdapter(queue, { allowRetries: true, description: 'Imports of module packages' })],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Module imports' } },
  });
  return adapter.getRouter() as RequestHandler;
}

function addSignIn(router: Router, api: ApiContext): void {
  const limiter = new RateLimiterMemory({ points: SIGN_INS_PER_MINUTE, duration: 60 });
  router.get('/sign-in', (_request, response) => {
    response.type('html').send(signInPage(null));
  });
  router.post(
    '/sign-in',
    express.urlencoded({ extended: false, limit: 16_384 }),
    async (request, response) => {
      await limiter.consume(request.ip ?? '').catch(() => {
        throw new ProblemError('rate-limited', 'Too many attempts. Wait a minute.', {
          headers: { 'Retry-After': '60' },
        });
      });
      try {
        const { subject } = await api.access.operatorByToken(formToken(request));
        await signInOperator(api, request, response, subject);
        response.redirect(303, '/queues/');
      } catch (error) {
        if (!(error instanceof ProblemError) || error.code === 'unavailable') throw error;
        response.status(401).type('html').send(signInPage(error.message));
      }
    },
  );
  router.post('/sign-out', async (request, response) => {
    const token = sessionToken(request, DASHBOARD_COOKIE);
    if (token !== null) await endSession(api.database, token);
    setCookie(request, response, DASHBOARD_COOKIE, null);
    response.redirect(303, '/queues/sign-in');
  });
}

function formToken(request: Request): string {
  const body: unknown = request.body;
  const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : '';
  return typeof token === 'string' ? token.trim() : '';
}
