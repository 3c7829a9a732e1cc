import { Router } from 'express';
import { mayReadMetrics } from '../../shared/telemetry/metrics-reader.ts';
import type { ApiContext } from '../context.ts';
import { methodNotAllowed, ProblemError } from '../http/problem.ts';

/** `/metrics`: what this process counts, for Prometheus; for this machine alone unless a token is set. */
export function metricsRouter({ config, processMetrics }: ApiContext): Router {
  const router = Router();
  const { token } = config.metrics;
  router.get('/metrics', async (request, response) => {
    if (!mayReadMetrics(request, token)) throw refusal(token);
    response
      .set({ 'Content-Type': processMetrics.registry.contentType, 'Cache-Control': 'no-store' })
      .send(await processMetrics.text());
  });
  router.all('/metrics', methodNotAllowed('GET'));
  return router;
}

function refusal(token: string | null): ProblemError {
  return token === null
    ? new ProblemError(
        'auth-forbidden',
        'Metrics are told to this machine alone. To read them from another one, set METRICS_TOKEN.',
      )
    : new ProblemError('auth-token-invalid', 'The call needs Authorization: Bearer with METRICS_TOKEN.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="metrics"' },
      });
}
