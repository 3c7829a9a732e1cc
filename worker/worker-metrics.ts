import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
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

/** The metrics that only a worker has. */
export interface WorkerMetrics {
  readonly running: Gauge;
  readonly ended: Counter<keyof EndLabels>;
  readonly attemptSeconds: Histogram<'result'>;
  readonly stepSeconds: Histogram<'step'>;
  readonly waitSeconds: Histogram;
  readonly recovered: Counter;
  readonly taskRuns: Counter<'task' | 'result'>;
  readonly webhookAttempts: Counter<'result'>;
  readonly webhookDelaySeconds: Histogram;
}

/** Makes a worker's metrics. */
export function makeWorkerMetrics({ registry }: ProcessMetrics): WorkerMetrics {
  const registers = [registry];
  const metrics: WorkerMetrics = {
    ...makeTimes(registers),
    running: new Gauge({ name: 'imports_running', help: 'Imports that this worker runs.', registers }),
    ended: new Counter({
      name: 'imports_ended_total',
      help: 'Imports that this worker ended. Those with validateOnly count as what they would have been.',
      labelNames: ['status', 'outcome'],
      registers,
    }),
    recovered: new Counter({
      name: 'imports_recovered_total',
      help: 'Imports that the sweep requeued or ended.',
      registers,
    }),
    taskRuns: new Counter({
      name: 'worker_scheduled_task_runs_total',
      help: 'Runs of scheduled tasks, by task and result.',
      labelNames: ['task', 'result'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Calls of webhooks: delivered, refused by the answer, or unanswered.',
      labelNames: ['result'],
      registers,
    }),
  };
  // A series that appears only with its first event hides that event from rate().
  for (const end of ENDS) metrics.ended.inc({ ...end }, 0);
  for (const step of STEPS) metrics.stepSeconds.zero({ step });
  for (const result of ['delivered', 'refused', 'unanswered']) metrics.webhookAttempts.inc({ result }, 0);
  for (const result of ['ended', 'failed', 'taken over']) metrics.attemptSeconds.zero({ result });
  return metrics;
}

function makeTimes(
  registers: Registry[],
): Pick<WorkerMetrics, 'attemptSeconds' | 'stepSeconds' | 'waitSeconds' | 'webhookDelaySeconds'> {
  return {
    attemptSeconds: new Histogram({
      name: 'import_attempt_duration_seconds',
      help: 'Time of one attempt at an import. A failed attempt is repeated, until the last.',
      labelNames: ['result'],
      buckets: ATTEMPT_SECONDS,
      registers,
    }),
    stepSeconds: new Histogram({
      name: 'import_step_duration_seconds',
      help: 'Time of one step of an import, successful or not.',
      labelNames: ['step'],
      buckets: STEP_SECONDS,
      registers,
    }),
    waitSeconds: new Histogram({
      name: 'import_queue_wait_seconds',
      help: 'Time from the row of an import to its first attempt.',
      buckets: WAIT_SECONDS,
      registers,
    }),
    webhookDelaySeconds: new Histogram({
      name: 'webhook_first_attempt_delay_seconds',
      help: 'Time from a change to the first call of a webhook about it.',
      buckets: WAIT_SECONDS,
      registers,
    }),
  };
}
