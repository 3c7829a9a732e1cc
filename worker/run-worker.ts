import type { Config } from '../shared/config/config.ts';
import { ASYNC_COMMIT_CONNECTIONS } from '../shared/process/connection-needs.ts';
import { openContext } from '../shared/process/context.ts';
import { clearOrganizations } from '../shared/db/access/delete-organization.ts';
import { partReady } from '../shared/process/part-ready.ts';
import { openDatabase, poolUse } from '../shared/db/database.ts';
import { ImportNotifier } from '../shared/db/notifications.ts';
import type { Log } from '../shared/telemetry/log.ts';
import { openWorker } from '../shared/queue/import-worker.ts';
import type { JobHandlers } from '../shared/queue/import-worker.ts';
import { ModuleQuota } from '../shared/registration/module-quota.ts';
import { collectGarbage, graceOf } from './collect-garbage.ts';
import { openFileThreads } from './file-threads.ts';
import { failTakenOver } from './fail-import.ts';
import { startHeartbeat } from './heartbeat.ts';
import { importModule } from './import-module.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { startSchedule } from './schedule.ts';
import { sweepImports, sweepLostImports } from './sweep-imports.ts';
import { workerTimes } from './session-times.ts';
import type { WorkerContext } from './worker-context.ts';
import { makeWorkerMetrics } from './worker-metrics.ts';

/** A lost job is requeued after its row has become stale and at most this time. */
const SWEEP_LOST_MS = 2_000;
const SWEEP_MS = 30_000;
const CLEAR_MS = 10_000;
const COLLECT_MS = 3_600_000;

/** A worker that processes jobs, and its context. */
export interface RunningWorker {
  readonly context: WorkerContext;
  /** The port that serves its metrics; null: none. */
  readonly metricsPort: number | null;
  stop(): Promise<void>;
}

async function openWorkerContext(config: Config, log?: Log): Promise<WorkerContext> {
  const shared = await openContext('worker', config, { log, times: workerTimes(config) });
  const { limits, imports } = config;
  const asyncCommitDatabase = openDatabase({
    url: shared.queueConnection.databaseUrl,
    poolSize: ASYNC_COMMIT_CONNECTIONS,
    asynchronousCommit: true,
    times: workerTimes(config),
    log: shared.log,
  });
  shared.processMetrics.watchPool('asynchronous-commit', () => poolUse(asyncCommitDatabase));
  return {
    ...shared,
    asyncCommitDatabase,
    notifier: new ImportNotifier(asyncCommitDatabase, shared.log),
    moduleQuota: new ModuleQuota(config.quotas.maxModulesPerOrganization),
    metrics: makeWorkerMetrics(shared.processMetrics),
    fileThreads: openFileThreads(imports),
    validationSettings: { limits, requiredFolders: imports.requiredFolders, catalogue: shared.catalogue },
  };
}

/** Starts a worker: it processes jobs, sweeps for lost ones, and collects garbage. */
export async function runWorker(config: Config, log?: Log): Promise<RunningWorker> {
  const context = await openWorkerContext(config, log);
  const handlers: JobHandlers = {
    run: (job) => importModule(context, job),
    exhausted: (job) => failTakenOver(context, job),
  };
  const listener = await listenForMetrics(config.metrics, context.processMetrics);
  const { log: workerLog, storage, queue } = context;
  await partReady(workerLog, 'storage', () => storage.check());
  await partReady(workerLog, 'queue', () => queue.countJobs());
  const worker = openWorker(context.queueConnection, config.imports.workerConcurrency, handlers, context.log);
  await worker.ready();
  const stopHeartbeat = await startHeartbeat(config.heartbeatFile, context.log);
  const stopSchedule = startSchedule(context, context.metrics.taskRuns, [
    { name: 'sweep-lost-imports', everyMs: SWEEP_LOST_MS, run: () => sweepLostImports(context) },
    { name: 'sweep-imports', everyMs: SWEEP_MS, run: () => sweepImports(context) },
    {
      name: 'clear-organizations',
      everyMs: CLEAR_MS,
      run: () => clearOrganizations(context.database, graceOf(context)),
    },
    { name: 'collect-garbage', everyMs: COLLECT_MS, run: () => collectGarbage(context) },
  ]);
  return {
    context,
    metricsPort: listener.port,
    async stop() {
      stopHeartbeat();
      await stopSchedule();
      if (!(await worker.close(config.server.drainSeconds * 1_000))) {
        // Running jobs still use the connections; the end of the process closes them.
        context.log.warn('worker stops with jobs running; others take them over');
        return;
      }
      await context.fileThreads.close();
      await context.notifier.close();
      await context.asyncCommitDatabase.destroy();
      await listener.close();
      await context.close();
    },
  };
}
