import type { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';

/** How an upload ended: stored, refused because of the request, or failed by an internal error. */
export type UploadResult = 'stored' | 'refused' | 'failed';
/** How the check of an API key ended: accepted, refused, or failed by an internal error. */
export type KeyCheckResult = 'accepted' | 'refused' | 'failed';

const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];
const UPLOAD_SECONDS = [0.02, 0.1, 0.5, 2, 10, 60, 600, 3_600];
const KEY_CHECK_SECONDS = [0.0001, 0.001, 0.005, 0.02, 0.1, 0.5, 2];

/** Metrics that only the API has. */
export type ApiMetrics = ReturnType<typeof makeApiMetrics>;

/** Makes the API's metrics. */
export function makeApiMetrics(process: ProcessMetrics) {
  const metrics = {
    requests: process.histogram(
      'http_request_duration_seconds',
      'Time from a request to the end of its answer, by route template.',
      REQUEST_SECONDS,
      ['method', 'route', 'status'],
    ),
    requestsRunning: process.gauge('http_requests_running', 'Requests in progress.'),
    uploads: process.histogram(
      'import_upload_duration_seconds',
      'Time from the first byte of an upload until it is stored or refused.',
      UPLOAD_SECONDS,
      ['result'],
    ),
    uploadsRunning: process.gauge('import_uploads_running', 'Uploads in progress.'),
    uploadBytes: process.counter('import_upload_bytes_total', 'Bytes of stored packages.'),
    accepted: process.counter(
      'imports_accepted_total',
      'Accepted uploads: a new import, or a repeated one by its Idempotency-Key.',
      ['kind'],
    ),
    cancelled: process.counter('imports_cancelled_total', 'Imports cancelled while queued.'),
    keyChecks: process.histogram(
      'api_key_check_duration_seconds',
      'Time to check an API key.',
      KEY_CHECK_SECONDS,
      ['result'],
    ),
  };
  // A series that appears only with its first event hides that event from rate().
  const { uploads, accepted, keyChecks } = metrics;
  for (const result of ['stored', 'refused', 'failed'] satisfies UploadResult[]) uploads.zero({ result });
  for (const result of ['accepted', 'refused', 'failed'] satisfies KeyCheckResult[])
    keyChecks.zero({ result });
  for (const kind of ['new', 'repeated']) accepted.inc({ kind }, 0);
  return metrics;
}
