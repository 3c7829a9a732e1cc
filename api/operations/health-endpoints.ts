import { Type } from 'typebox';
import { mayReadMetrics } from '../../shared/telemetry/metrics-reader.ts';
import { within } from '../../shared/process/within.ts';
import { probe } from '../auth/endpoint-access.ts';
import { json, ok, reply, SENT } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { namedObject, oneOf, text } from '../http/schema.ts';

const tag = 'Health';
const TIMEOUT_MS = 2_000;

const alive = namedObject('Alive', 'The process answers.', {
  status: Type.Literal('ok', { description: 'The process answers.' }),
});

const state = (description: string) => oneOf(['ok', 'unavailable'], description);
const readiness = namedObject('Readiness', 'Whether the service and its parts are available.', {
  status: state('Whether the service can serve requests.'),
  parts: namedObject('ReadinessParts', 'Whether each part that the service needs is available.', {
    database: state('Whether the database answers.'),
    storage: state('Whether the object storage answers.'),
  }),
});

const isAlive = endpoint({
  id: 'isAlive',
  method: 'get',
  path: '/livez',
  tag,
  summary: 'Check liveness',
  access: probe,
  answers: { 200: json('The process answers.', alive) },
  handle: () => ok({ status: 'ok' } as const),
});

const isReady = endpoint({
  id: 'isReady',
  method: 'get',
  path: '/readyz',
  tag,
  summary: 'Check readiness',
  access: probe,
  answers: {
    200: json('The service can serve requests.', readiness, ['Cache-Control']),
    503: json('A part is unavailable, or the process is shutting down.', readiness, ['Cache-Control']),
  },
  async handle({ api }) {
    const check = (part: string, act: () => PromiseLike<unknown>) =>
      works(api.healthChecks.read(part, async () => act()));
    const database = await check('database', () => api.healthDatabase.raw('select 1'));
    const parts = { database, storage: await check('storage', () => api.storage.check()) };
    const isServing = !api.stop.isDraining && Object.values(parts).every((state) => state === 'ok');
    const headers = { 'Cache-Control': 'no-store' };
    return isServing
      ? ok({ status: 'ok', parts } as const, headers)
      : reply(503, { status: 'unavailable', parts } as const, headers);
  },
});

async function works(check: PromiseLike<unknown>): Promise<'ok' | 'unavailable'> {
  try {
    await within(TIMEOUT_MS, Promise.resolve(check));
    return 'ok';
  } catch {
    return 'unavailable';
  }
}

const readMetrics = endpoint({
  id: 'readMetrics',
  method: 'get',
  path: '/metrics',
  tag,
  summary: 'Read metrics',
  description: 'For Prometheus. Only from this machine, or with `METRICS_TOKEN` as a bearer token.',
  access: probe,
  answers: {
    200: {
      description: 'The metrics.',
      forms: { 'text/plain': { schema: text('Metrics in the text format of Prometheus.') } },
      headers: ['Cache-Control'],
    },
  },
  problems: ['auth-forbidden', 'auth-token-invalid'],
  async handle({ api: { config, processMetrics }, request, response }) {
    const { token } = config.metrics;
    if (!mayReadMetrics(request, token)) throw refusal(token);
    response
      .set({ 'Content-Type': processMetrics.registry.contentType, 'Cache-Control': 'no-store' })
      .send(await processMetrics.text());
    return SENT;
  },
});

/** Probes and metrics. */
export const HEALTH_ENDPOINTS = [isAlive, isReady, readMetrics];

function refusal(token: string | null): ProblemError {
  return token === null
    ? new ProblemError(
        'auth-forbidden',
        'Metrics are available only on this machine. To read them from another one, set METRICS_TOKEN.',
      )
    : new ProblemError('auth-token-invalid', 'The call needs Authorization: Bearer with METRICS_TOKEN.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="metrics"' },
      });
}
