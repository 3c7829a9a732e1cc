import type { ImportOutcome, ImportStatus, ImportStep } from '../shared/db/imports/models.ts';
import type { ProcessMetrics } from '../shared/telemetry/process-metrics.ts';

const ATTEMPT_SECONDS = [0.02, 0.1, 0.5, 2, 10, 60, 600, 3_600];
const STEP_SECONDS = [0.002, 0.01, 0.05, 0.2, 1, 5, 30, 300];
const WAIT_SECONDS = [0.01, 0.05, 0.2, 1, 5, 30, 300, 3_600];

/** The steps of an import that are timed. */
export type TimedStep = Exclude<ImportStep, 'queued'>;
const STEPS = ['reading', 'checking', 'writing'] as const satisfies readonly TimedStep[];

/** How an import ended; `none` where it has no outcome. */
interface EndLabels {
  readonly status: Extract<ImportStatus, 'succeeded' | 'rejected' | 'failed'>;
  readonly outcome: ImportOutcome | 'none';
}

const ENDS: readonly EndLabels[] = [
  { status: 'succeeded', outcome: 'created' },
  { status: 'succeeded', outcome: 'updated' },
  { status: 'succeeded', outcome: 'unchanged' },
  { status: 'rejected', outcome: 'none' },
  { status: 'failed', outcome: 'none' },
];

const RESULTS = {
  attempts: ['ended', 'failed', 'suspended', 'taken over'],
  alertMessages: {
    mail: ['sent', 'unknown', 'bounced', 'deferred', 'unreachable'],
    push: ['sent', 'unknown', 'gone', 'deferred'],
  },
  webhookAttempts: ['delivered', 'refused', 'unanswered', 'unsigned'],
};

/** The metrics that only a worker has. */
export type WorkerMetrics = ReturnType<typeof makeWorkerMetrics>;

/** Makes a worker's metrics. */
export function makeWorkerMetrics(process: ProcessMetrics) {
  const metrics = defineMetrics(process);
  // A series that appears only with its first event hides that event from rate().
  for (const end of ENDS) metrics.ended.inc({ ...end }, 0);
  for (const step of STEPS) metrics.stepSeconds.zero({ step });
  for (const result of RESULTS.webhookAttempts) metrics.webhookAttempts.inc({ result }, 0);
  for (const [channel, results] of Object.entries(RESULTS.alertMessages))
    for (const result of results) metrics.alertMessages.inc({ channel, result }, 0);
  for (const result of RESULTS.attempts) metrics.attemptSeconds.zero({ result });
  return metrics;
}

function defineMetrics(process: ProcessMetrics) {
  return {
    running: process.gauge('imports_running', 'Imports that this worker runs.'),
    ended: process.counter<keyof EndLabels>(
      'imports_ended_total',
      'Imports that this worker ended. Those with validateOnly count as what they would have been.',
      ['status', 'outcome'],
    ),
    attemptSeconds: process.histogram(
      'import_attempt_duration_seconds',
      'Time of one attempt at an import. A failed attempt is repeated, until the last.',
      ATTEMPT_SECONDS,
      ['result'],
    ),
    stepSeconds: process.histogram(
      'import_step_duration_seconds',
      'Time of one step of an import, successful or not.',
      STEP_SECONDS,
      ['step'],
    ),
    waitSeconds: process.histogram(
      'import_queue_wait_seconds',
      'Time from the row of an import to its first attempt.',
      WAIT_SECONDS,
    ),
    recovered: process.counter('imports_recovered_total', 'Imports that the sweep requeued or ended.'),
    alertMessages: process.counter('alert_messages_total', 'Messages about alerts, by channel and result.', [
      'channel',
      'result',
    ]),
    taskRuns: process.counter(
      'worker_scheduled_task_runs_total',
      'Runs of scheduled tasks, by task and result.',
      ['task', 'result'],
    ),
    webhookAttempts: process.counter(
      'webhook_attempts_total',
      'Calls of webhooks: delivered, refused by the answer, unanswered, or not made because their key is lost.',
      ['result'],
    ),
    webhookDelaySeconds: process.histogram(
      'webhook_first_attempt_delay_seconds',
      'Time from a change to the first call of a webhook about it.',
      WAIT_SECONDS,
    ),
  };
}
