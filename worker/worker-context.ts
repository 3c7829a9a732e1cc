import type { Context } from '../shared/process/context.ts';
import type { Database } from '../shared/db/database.ts';
import type { ImportNotifier } from '../shared/db/notifications.ts';
import type { ValidationSettings } from '../shared/package/package-report.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** What the worker's parts work with: the process's context, and what only the worker has. */
export interface WorkerContext extends Context {
  /** For notes that a crash of the database may lose: an attempt's start, progress, a touch of files. */
  readonly hastyDatabase: Database;
  readonly notifier: ImportNotifier;
  readonly metrics: WorkerMetrics;
  readonly validationSettings: ValidationSettings;
}
