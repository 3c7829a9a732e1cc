import type { Authority } from '../access/authority.ts';
import { Model } from 'objection';
import type { Database } from '../database.ts';
import type { Problem } from '../../package/problem.ts';
import type { RecordedRun } from '../access/publisher-tokens.ts';

/** The states of an import; the last four are final. */
export type ImportStatus = 'queued' | 'running' | 'succeeded' | 'rejected' | 'failed' | 'cancelled';

/** What a successful import did to its module. */
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
export class ImportModel extends Model {
  static override readonly tableName = 'imports';
  static override readonly jsonAttributes = ['errors', 'warnings', 'failure', 'publisher'];
  declare id: string;
  declare organizationId: string;
  declare tenantId: string;
  /** The subject of the token that uploaded the package. */
  declare importedBy: string;
  declare status: ImportStatus;
  declare authority: Authority;
  declare validateOnly: boolean;
  declare expectedRevisions: number[] | null;
  declare newModuleId: string;
  declare runId: string | null;
  /** How often an operator has queued it again. */
  declare retries: number;
  declare fileName: string | null;
  declare sizeBytes: number;
  declare sha256: Buffer;
  /** The uploaded archive, until a revision takes it over or it is no longer kept. */
  declare archiveKey: string | null;
  declare traceId: string;
  declare traceParent: string;
  declare outcome: ImportOutcome | null;
  declare moduleId: string | null;
  /** The module that the package of a rejected or failed import named, of whatever owner; null: none, or it could not be read. */
  declare namedModuleId: string | null;
  declare revision: number | null;
  /** The package's problems of a rejected import, or why the import failed. */
  declare errors: (Problem | ImportFailure)[];
  declare warnings: Problem[];
  declare errorsTotal: number;
  declare progressStep: ImportStep;
  declare progressCompleted: number;
  declare progressTotal: number;
  declare version: number;
  declare acceptanceOrder: number;
  declare createdAt: Date;
  declare updatedAt: Date;
  declare startedAt: Date | null;
  declare finishedAt: Date | null;
  declare failedAt: Date | null;
  declare queuedAt: Date;
  /** The only module that it may change; null: any of its organization. */
  declare onlyModuleId: string | null;
  /** The trusted publisher's access token that uploaded it; null: it was a person's. */
  declare publisherTokenId: string | null;
  /** The run that had the token; null: it was a person's. */
  declare publisher: RecordedRun | null;
  /** Null: no attempt has failed. */
  declare failure: FailedAttempts | null;
  /** Whether the upload asked for a staged revision. */
  declare staged: boolean;
  /** Once it has succeeded: whether its revision is the one released to everyone. */
  declare released: boolean;
  /** When an operator dismissed the failed import. */
  declare dismissedAt: Date | null;
}

/** The row of an import as a value, without what Objection adds. */
export type ImportRow = Omit<ImportModel, keyof Model>;

/** Every change of the row increments its version, and resets the time after which the sweep counts it as stale. */
export function nextVersion(database: Database) {
  return { version: database.raw('version + 1'), updatedAt: database.raw('now()') };
}
