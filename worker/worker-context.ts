import type { Context } from '../shared/process/context.ts';
import type { Database } from '../shared/db/database.ts';
import type { NewAttempt } from '../shared/db/imports/attempts.ts';
import type { RunningImport } from '../shared/db/modules/registry-state.ts';
import type { TurnBatches } from '../shared/db/together.ts';
import type { ModuleQuota } from '../shared/registration/module-quota.ts';
import type { NewModules } from '../shared/registration/new-modules.ts';
import type { Notifier } from '../shared/db/notifications.ts';
import type { ValidationSettings } from '../shared/package/package-report.ts';
import type { ThreadPool } from '../shared/threads/thread-pool.ts';
import type { FileTasks } from './import/file-thread.ts';
import type { PackageCheck } from './import/package-check.ts';
import type { WorkerMetrics } from './worker-metrics.ts';
import type { Config } from '../shared/config/config.ts';
import type { SessionTimes } from '../shared/db/session-options.ts';

/** The worker's context: that of the process, with the worker's own parts. */
export interface WorkerContext extends Context {
  /** For writes that a crash of the database may lose: an attempt's start, its progress. */
  readonly asyncCommitDatabase: Database;
  /** Starts attempts, those of one turn of the event loop in one statement. */
  readonly starts: TurnBatches<NewAttempt, RunningImport | null>;
  readonly notifier: Notifier;
  readonly moduleQuota: ModuleQuota;
  readonly newModules: NewModules;
  readonly metrics: WorkerMetrics;
  readonly validationSettings: ValidationSettings;
  readonly fileThreads: ThreadPool<FileTasks>;
  /** The operator's own; null: there is none. */
  readonly packageCheck: PackageCheck | null;
}

/** The time limit of a worker's statements: that of a step of an import, which is then tried again. */
export function workerTimes({ imports }: Config): SessionTimes {
  return { lockMs: imports.lockSeconds * 1_000, statementMs: imports.stepSeconds * 1_000 };
}
