import type { Config } from '../shared/config/config.ts';
import { ASYNC_COMMIT_CONNECTIONS } from '../shared/process/connection-needs.ts';
import { openContext } from '../shared/process/context.ts';
import { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';
import { reportExpiringKeys } from '../shared/db/access/api-keys.ts';
import { enableOpenedWebhooks } from '../shared/db/webhooks/attempts.ts';
import { currentSpan } from '../shared/telemetry/current-span.ts';
import { partReady } from '../shared/process/part-ready.ts';
import { openDatabase, poolUse } from '../shared/db/database.ts';
import { startImports, type NewAttempt } from '../shared/db/imports/attempts.ts';
import { TurnBatches } from '../shared/db/together.ts';
import { writeRevisions } from '../shared/db/modules/write-revision.ts';
import { IMPORTS_CHANNEL } from '../shared/db/imports/imports.ts';
import { CHANGES_CHANNEL, Notifier } from '../shared/db/notifications.ts';
import type { Log } from '../shared/telemetry/log.ts';
import { openWorker, type JobHandlers } from '../shared/queue/import-worker.ts';
import { ModuleQuota } from '../shared/registration/module-quota.ts';
import { NewModules } from '../shared/registration/new-modules.ts';
import { clearOrganizations } from './maintenance/clear-organizations.ts';
import { collectGarbage, graceOf } from './maintenance/collect-garbage.ts';
import { openFileThreads } from './import/file-threads.ts';
import { failTakenOver } from './import/fail-import.ts';
import { importGroup } from './import/import-group.ts';
import { importModule } from './import/import-module.ts';
import { PackageCheck } from './import/package-check.ts';
import { listenForAdmin } from './admin-listener.ts';
import { recheckDependents } from './maintenance/recheck-dependents.ts';
import { rollUpStatistics } from './maintenance/roll-up-statistics.ts';
import { AlertMessages } from './notifications/alert-messages.ts';
import { mailSender } from './notifications/mail-sender.ts';
import { pushSender } from './notifications/push-sender.ts';
import { startSchedule, type ScheduledTask } from './schedule.ts';
import { startWebhooks } from './webhooks/start-webhooks.ts';
import { sweepImports, sweepLostImports } from './maintenance/sweep-imports.ts';
import { workerTimes, type WorkerContext } from './worker-context.ts';
import { makeWorkerMetrics } from './worker-metrics.ts';

/** How often one of all workers runs each scheduled task. */
export const TASK_EVERY_MS = {
  /** A lost job is requeued after its row has become stale and at most this time. */
  'sweep-lost-imports': 2_000,
  'sweep-imports': 30_000,
  'clear-organizations': 10_000,
  'recheck-dependents': 1_000,
  'roll-up-statistics': 60_000,
  'report-expiring-keys': 600_000,
  'enable-webhooks': 60_000,
  'notify-people': 5_000,
  'collect-garbage': 3_600_000,
};
type TaskName = keyof typeof TASK_EVERY_MS;
const isTaskName = (name: string): name is TaskName => name in TASK_EVERY_MS;

/** A worker that processes jobs, and its context. */
export interface RunningWorker {
  readonly context: WorkerContext;
  /** The port that serves its probes and metrics; null: none. */
  readonly adminPort: number | null;
  stop(): Promise<void>;
}

async function openWorkerContext(config: Config, log?: Log): Promise<WorkerContext> {
  const shared = await openContext('worker', config, {
    log,
    times: workerTimes(config),
    wait: ({ processMetrics }) => listenForAdmin(config, processMetrics, () => false),
  });
  const { limits, imports } = config;
  const asyncCommitDatabase = openDatabase({
    url: shared.queueConnection.databaseUrl,
    poolSize: ASYNC_COMMIT_CONNECTIONS,
    asynchronousCommit: true,
    times: workerTimes(config),
    log: shared.log,
  });
  const notifier = new Notifier(asyncCommitDatabase, IMPORTS_CHANNEL, shared.log);
  const fileThreads = openFileThreads(config);
  shared.processMetrics.watchLimit('file threads', () => fileThreads.limitUse());
  shared.processMetrics.watchPool('asynchronous-commit', () => poolUse(asyncCommitDatabase));
  return {
    ...shared,
    asyncCommitDatabase,
    starts: new TurnBatches((attempts: readonly NewAttempt[]) => startImports(asyncCommitDatabase, attempts)),
    notifier,
    moduleQuota: new ModuleQuota(),
    newModules: new NewModules(async (writes) => writeRevisions(shared.database, writes, notifier)),
    metrics: makeWorkerMetrics(shared.processMetrics),
    fileThreads,
    packageCheck: config.packageCheck === null ? null : new PackageCheck(config.packageCheck),
    validationSettings: {
      limits,
      requiredFolders: imports.requiredFolders,
      catalogue: shared.catalogue.forPackages,
    },
  };
}

/** What one of all workers does periodically. */
function tasksOf(
  context: WorkerContext,
  changes: ChangeSequencer,
  alertMessages: AlertMessages,
): readonly ScheduledTask[] {
  const { database, encryptionKeys } = context;
  const runs: Readonly<Record<TaskName, () => Promise<unknown>>> = {
    'sweep-lost-imports': () => sweepLostImports(context),
    'sweep-imports': () => sweepImports(context),
    'clear-organizations': () => clearOrganizations(context, graceOf(context)),
    'recheck-dependents': () => recheckDependents(database, changes),
    'roll-up-statistics': () => rollUpStatistics(context),
    'report-expiring-keys': () => reportExpiringKeys(database),
    'enable-webhooks': () => enableOpenedWebhooks(database, encryptionKeys, currentSpan().traceId),
    'notify-people': () => alertMessages.run(),
    'collect-garbage': () => collectGarbage(context),
  };
  return Object.keys(TASK_EVERY_MS)
    .filter(isTaskName)
    .map((name) => ({ name, everyMs: TASK_EVERY_MS[name], run: runs[name] }));
}

/** Starts a worker: it processes jobs, sweeps for lost ones, and collects garbage. */
export async function runWorker(config: Config, log?: Log): Promise<RunningWorker> {
  const context = await openWorkerContext(config, log);
  const { database, asyncCommitDatabase, storage, queue } = context;
  // Gives positions to changes: those of the worker's imports, and of processes that died after a commit.
  const changes = new Notifier(asyncCommitDatabase, CHANGES_CHANNEL, context.log);
  const sequencer = new ChangeSequencer(database, changes, context.log);
  const handlers: JobHandlers = {
    async run(job) {
      await importModule(context, job).finally(() => sequencer.soon());
    },
    async runGroup(group, run) {
      await importGroup(context, group, run).finally(() => sequencer.soon());
    },
    exhausted: (job) => failTakenOver(context, job),
  };
  let isReady = false;
  const listener = await listenForAdmin(config, context.processMetrics, () => isReady);
  await partReady(context.log, 'storage', () => storage.check());
  await partReady(context.log, 'queue', () => queue.countJobs());
  const stopWebhooks = await startWebhooks(context, sequencer);
  const worker = openWorker(context.queueConnection, config.imports.workerConcurrency, handlers, context.log);
  await worker.ready();
  const alertMessages = new AlertMessages(context, [mailSender(context), pushSender(context)]);
  const tasks = tasksOf(context, sequencer, alertMessages);
  const stopSchedule = startSchedule(context, context.metrics.taskRuns, tasks);
  // Last: a process that is still starting ends at once on SIGTERM, and would leave its jobs to others.
  worker.start();
  isReady = true;
  return {
    context,
    adminPort: listener.port,
    async stop() {
      isReady = false;
      context.packageCheck?.stop();
      alertMessages.stop();
      const drainMs = config.server.drainSeconds * 1_000;
      const stops = [stopSchedule, (maxWaitMs: number) => worker.close(maxWaitMs), stopWebhooks];
      const areClosed = await Promise.all(stops.map(async (stop) => stop(drainMs)));
      if (areClosed.includes(false)) {
        // What runs still uses the connections; the end of the process closes them.
        context.log.warn('worker stops with running work; other workers take it over');
        return;
      }
      await context.fileThreads.close();
      await sequencer.close();
      await context.notifier.close();
      await context.asyncCommitDatabase.destroy();
      await listener.close();
      await context.close();
    },
  };
}
