import { Type } from 'typebox';
import { mayReadMetrics } from '../../shared/telemetry/metrics-reader.ts';
import { probe } from '../auth/endpoint-access.ts';
import { json, ok, reply, SENT } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { namedObject, oneOf, text } from '../http/schema.ts';

const alive = namedObject('Alive', 'The process answers.', {
  status: Type.Literal('ok', { description: 'The process answers.' }),
});

const state = (description: string) => oneOf(['ok', 'unavailable'], description);
const readiness = namedObject('Readiness', 'Whether the service and its parts are available.', {
  status: oneOf(
    ['ok', 'degraded', 'unavailable'],
    'Whether to send requests to the process; `degraded`: those that need an unavailable part are answered with 503.',
  ),
  parts: Type.Optional(
    namedObject(
      'ReadinessParts',
      'Whether each part is available. With `ADMIN_PORT` only that port has it.',
      {
        database: state('Whether the database answers.'),
        storage: state('Whether the object storage answers. Without it packages and files are unavailable.'),
        queue: state('Whether the queue answers. Without it imports are accepted, and run later.'),
        issuer: state("Whether the issuer's discovery document can be read. Without it API keys work."),
      },
    ),
  ),
});

const isAlive = endpoint('get', '/livez', {
  id: 'readLiveness',
  summary: 'Check liveness',
  access: probe,
  answers: { 200: json('The process answers.', alive) },
  handle: () => ok({ status: 'ok' } as const),
});

const readyEndpoint = (hasParts: boolean) =>
  endpoint('get', '/readyz', {
    id: 'readReadiness',
    summary: 'Check readiness',
    access: probe,
    description:
      'For load balancers. A process is not ready while it starts or shuts down, and while the database is unavailable. Any other part that is unavailable degrades it. A starting process waits up to 30 seconds for each part.',
    answers: {
      200: json('The service can serve requests.', readiness, ['Cache-Control']),
      503: json('The process is starting or shutting down, or the database is unavailable.', readiness, [
        'Cache-Control',
      ]),
    },
    async handle({ api }) {
      const { status, parts } = await api.health.read();
      const headers = { 'Cache-Control': 'no-store' };
      const detail = hasParts ? { parts } : {};
      return status === 'unavailable' || api.stop.isDraining
        ? reply(503, { status: 'unavailable', ...detail } as const, headers)
        : ok({ status, ...detail } as const, headers);
    },
  });

const readMetrics = endpoint('get', '/metrics', {
  id: 'readMetrics',
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
export const HEALTH_ENDPOINTS = tagged('Health', [isAlive, readyEndpoint(true), readMetrics]);

/** Those of the main port where the others are at `ADMIN_PORT`: strangers learn nothing about the parts. */
export const PUBLIC_PROBES = [isAlive, readyEndpoint(false)];

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
