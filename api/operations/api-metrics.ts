import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';

/** How an upload ended: stored, refused because of the request, or failed by an internal error. */
export type UploadResult = 'stored' | 'refused' | 'failed';
/** How the check of an API key ended: accepted, refused, or failed by an internal error. */
export type KeyCheckResult = 'accepted' | 'refused' | 'failed';

const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];
const UPLOAD_SECONDS = [0.02, 0.1, 0.5, 2, 10, 60, 600, 3_600];
const KEY_CHECK_SECONDS = [0.0001, 0.001, 0.005, 0.02, 0.1, 0.5, 2];

/** Metrics that only the API has. */
export interface ApiMetrics {
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly requestsRunning: Gauge;
  readonly uploads: Histogram<'result'>;
  readonly uploadsRunning: Gauge;
  readonly uploadBytes: Counter;
  readonly accepted: Counter<'kind'>;
  readonly cancelled: Counter;
  readonly keyChecks: Histogram<'result'>;
}

/** Makes the API's metrics. */
export function makeApiMetrics({ registry }: ProcessMetrics): ApiMetrics {
  const registers = [registry];
  const metrics: ApiMetrics = {
    ...makeRequestMetrics(registers),
    uploads: new Histogram({
      name: 'import_upload_duration_seconds',
      help: 'Time from the first byte of an upload until it is stored or refused.',
      labelNames: ['result'],
      buckets: UPLOAD_SECONDS,
      registers,
    }),
    uploadsRunning: new Gauge({
      name: 'import_uploads_running',
      help: 'Uploads in progress.',
      registers,
    }),
    uploadBytes: new Counter({
      name: 'import_upload_bytes_total',
      help: 'Bytes of stored packages.',
      registers,
    }),
    accepted: new Counter({
      name: 'imports_accepted_total',
      help: 'Accepted uploads: a new import, or a repeated one by its Idempotency-Key.',
      labelNames: ['kind'],
      registers,
    }),
    cancelled: new Counter({
      name: 'imports_cancelled_total',
      help: 'Imports cancelled while queued.',
      registers,
    }),
    keyChecks: new Histogram({
      name: 'api_key_check_duration_seconds',
      help: 'Time to check an API key.',
      labelNames: ['result'],
      buckets: KEY_CHECK_SECONDS,
      registers,
    }),
  };
  showZeros(metrics);
  return metrics;
}

function makeRequestMetrics(registers: Registry[]): Pick<ApiMetrics, 'requests' | 'requestsRunning'> {
  return {
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from a request to the end of its answer, by route template.',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    requestsRunning: new Gauge({
      name: 'http_requests_running',
      help: 'Requests in progress.',
      registers,
    }),
  };
}

/** A series that appears only with its first event hides that event from rate(). */
function showZeros({ uploads, accepted, keyChecks }: ApiMetrics): void {
  for (const result of ['stored', 'refused', 'failed'] satisfies UploadResult[]) uploads.zero({ result });
  for (const result of ['accepted', 'refused', 'failed'] satisfies KeyCheckResult[])
    keyChecks.zero({ result });
  for (const kind of ['new', 'repeated']) accepted.inc({ kind }, 0);
}
