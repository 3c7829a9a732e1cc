import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';

/** How an upload ended: stored, refused as the client's fault, or failed by ours. */
export type UploadResult = 'stored' | 'refused' | 'failed';
/** How the check of an API key ended: let in, refused, or failed by our fault. */
export type KeyCheckResult = 'accepted' | 'refused' | 'failed';

const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];
const UPLOAD_SECONDS = [0.02, 0.1, 0.5, 2, 10, 60, 600, 3_600];
const KEY_CHECK_SECONDS = [0.0001, 0.001, 0.005, 0.02, 0.1, 0.5, 2];

/** What only the API counts. */
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
      help: 'Time from the first byte of an upload to its place in storage, or to its refusal.',
      labelNames: ['result'],
      buckets: UPLOAD_SECONDS,
      registers,
    }),
    uploadsRunning: new Gauge({
      name: 'import_uploads_running',
      help: 'Uploads that are on their way.',
      registers,
    }),
    uploadBytes: new Counter({
      name: 'import_upload_bytes_total',
      help: 'Bytes of packages that have been stored.',
      registers,
    }),
    accepted: new Counter({
      name: 'imports_accepted_total',
      help: 'Uploads that became an import, or by their Idempotency-Key were an earlier one.',
      labelNames: ['kind'],
      registers,
    }),
    cancelled: new Counter({
      name: 'imports_cancelled_total',
      help: 'Imports that were cancelled while they were queued.',
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
      help: 'Time from a request to the end of its answer, by the template of its route.',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    requestsRunning: new Gauge({
      name: 'http_requests_running',
      help: 'Requests that are being answered.',
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
