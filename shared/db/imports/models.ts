import type { Model } from 'objection';
import type { Authority } from '../access/authority.ts';
import type { Database } from '../database.ts';
import type { CodeCount, Problem } from '../../package/problem.ts';
import { modelOf } from '../rows.ts';
import type { RecordedRun } from '../access/publisher-tokens.ts';

/** The states of an import; the last four are final. */
export type ImportStatus = 'queued' | 'running' | 'succeeded' | 'rejected' | 'failed' | 'cancelled';

/** The effect of a successful import on its module. */
export type ImportOutcome = 'created' | 'updated' | 'unchanged';

/** Where an unfinished import is. */
export type ImportStep = 'queued' | 'reading' | 'checking' | 'writing';

/** Why an import failed, as its vendor may read it. */
export interface ImportFailure {
  readonly code: 'import-failed' | 'import-deadline-exceeded';
  readonly detail: string;
  readonly severity: 'error';
}

/** The failed attempts of an import since it was queued, for operators. */
export interface FailedAttempts {
  /** Where the last one was. */
  readonly step: ImportStep;
  /** The error of the last one with its causes. */
  readonly cause: string;
  readonly attempts: number;
  /** ISO 8601, by the database's clock. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** One upload of a package and its result. */
export class ImportModel extends modelOf('imports') {
  static override readonly jsonAttributes = ['errors', 'warnings', 'unlistedErrors', 'failure', 'publisher'];
  declare status: ImportStatus;
  declare authority: Authority;
  declare outcome: ImportOutcome | null;
  /** The package's problems of a rejected import, or why the import failed. */
  declare errors: (Problem | ImportFailure)[];
  declare warnings: Problem[];
  declare unlistedErrors: CodeCount[];
  declare progressStep: ImportStep;
  declare publisher: RecordedRun | null;
  declare failure: FailedAttempts | null;
}

/** The row of an import as a value, without what Objection adds. */
export type ImportRow = Omit<ImportModel, keyof Model>;

/** Every change of the row increments its version, and resets the time after which the sweep counts it as stale. */
export function nextVersion(database: Database) {
  return { version: database.raw('version + 1'), updatedAt: database.raw('now()') };
}
