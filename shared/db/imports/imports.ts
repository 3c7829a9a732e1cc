import type { ProblemLists } from '../../package/problem.ts';
import type { Database } from '../database.ts';
import { claimIdempotencyKey } from './idempotency-keys.ts';
import type { IdempotencyClaim } from './idempotency-keys.ts';
import { keysetPage } from '../keyset-page.ts';
import type { Page, PageRequest } from '../keyset-page.ts';
import { ImportModel } from '../models.ts';
import type { ImportOutcome, ImportRow, ImportStatus, ImportStep } from '../models.ts';
import { preparedStatement, runPrepared } from '../prepared-statement.ts';
import type { RunningImport } from '../modules/registry-state.ts';

/** The columns of an import that are known when its upload has been stored. */
export type NewImport = Pick<
  ImportModel,
  | 'id'
  | 'organizationId'
  | 'tenantId'
  | 'validateOnly'
  | 'expectedRevisions'
  | 'newModuleId'
  | 'fileName'
  | 'sizeBytes'
  | 'sha256'
  | 'archiveKey'
  | 'traceId'
  | 'traceParent'
>;

/** The result of creating an import. */
export type CreatedImport =
  | { readonly kind: 'created' }
  /** The idempotency key belongs to an earlier import of the same upload. */
  | { readonly kind: 'repeated'; readonly importId: string }
  /** The idempotency key was used for another upload. */
  | { readonly kind: 'mismatch' };

const INSERT = preparedStatement(
  `insert into imports (id, organization_id, tenant_id, validate_only, expected_revisions, new_module_id, file_name,
     size_bytes, sha256, archive_key, trace_id, trace_parent)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);

async function insertImport(database: Database, row: NewImport): Promise<void> {
  const { id, organizationId, tenantId, validateOnly, expectedRevisions, newModuleId } = row;
  const { fileName, sizeBytes, sha256, archiveKey, traceId, traceParent } = row;
  const identity = [id, organizationId, tenantId, validateOnly, expectedRevisions, newModuleId];
  const upload = [fileName, sizeBytes, sha256, archiveKey, traceId, traceParent];
  await runPrepared(database, INSERT, [...identity, ...upload]);
}

/** Writes an import's row, and in the same transaction claims its idempotency key where it has one. */
export async function createImport(
  database: Database,
  row: NewImport,
  claim: IdempotencyClaim | null,
): Promise<CreatedImport> {
  if (claim === null) {
    await insertImport(database, row);
    return { kind: 'created' };
  }
  return database.transaction(async (transaction) => {
    await insertImport(transaction, row);
    const claimed = await claimIdempotencyKey(transaction, row, claim);
    if (claimed.kind !== 'created') await ImportModel.query(transaction).deleteById(row.id);
    return claimed;
  });
}

/** Every column of an import, under the name of its member. */
const COLUMNS = `
  id, organization_id as "organizationId", tenant_id as "tenantId", status, validate_only as "validateOnly",
  expected_revisions as "expectedRevisions", new_module_id as "newModuleId", run_id as "runId",
  file_name as "fileName", size_bytes as "sizeBytes", sha256, archive_key as "archiveKey", trace_id as "traceId",
  trace_parent as "traceParent", outcome, module_id as "moduleId", named_module_id as "namedModuleId", revision,
  errors, warnings, errors_total as "errorsTotal", progress_step as "progressStep",
  progress_completed as "progressCompleted", progress_total as "progressTotal", version,
  acceptance_order as "acceptanceOrder", created_at as "createdAt", updated_at as "updatedAt",
  queued_at as "queuedAt", started_at as "startedAt", finished_at as "finishedAt", failed_at as "failedAt"`;

/** An import of an organization; of any organization, for operators, where that is null. */
export async function findImport(
  database: Database,
  organizationId: string | null,
  importId: string,
): Promise<ImportRow | null> {
  const query = ImportModel.query(database).findById(importId);
  return (await query.where({ ...(organizationId !== null && { organizationId }) })) ?? null;
}

/** Which imports a list shows; null: of every status, of every module. */
export interface ImportFilter {
  readonly status: ImportStatus | null;
  /** Also finds the rejected imports whose packages named the module. */
  readonly moduleId: string | null;
}

/** Imports of an organization, newest first; of all organizations, for operators, where that is null. */
export async function listImports(
  database: Database,
  organizationId: string | null,
  page: PageRequest,
  { status, moduleId }: ImportFilter,
): Promise<Page<ImportModel>> {
  const query = ImportModel.query(database).where({
    ...(organizationId !== null && { organizationId }),
    ...(status !== null && { status }),
  });
  if (moduleId !== null)
    void query.where((either) => {
      void either.where({ moduleId }).orWhere({ namedModuleId: moduleId });
    });
  return keysetPage(query, page);
}

const FINISHED = preparedStatement(
  `select ${COLUMNS} from imports where id = any($1::uuid[]) and status not in ('queued', 'running')`,
);

/** Those of the imports that have ended. */
export async function findFinishedImports(
  database: Database,
  importIds: readonly string[],
): Promise<readonly ImportRow[]> {
  return runPrepared<ImportRow>(database, FINISHED, [[...importIds]]);
}

/** Every change of the row increments its version, and resets the time after which the sweep counts it as stale. */
export function nextVersion(database: Database) {
  return { version: database.raw('version + 1'), updatedAt: database.raw('now()') };
}

const START = preparedStatement(
  `update imports set status = 'running', run_id = $2, started_at = coalesce(started_at, now()), finished_at = null,
     errors = '[]', errors_total = 0, progress_step = 'reading', progress_completed = 0, progress_total = 0,
     version = version + 1, updated_at = now()
   where id = $1 and status in ('queued', 'running', 'failed') returning ${COLUMNS}`,
);

/**
 * Starts an attempt: from now on only `runId` may end the import. Null when the import is unknown or
 * finished. A failed one may start again, when an operator has retried its job.
 */
export async function startImport(
  database: Database,
  importId: string,
  runId: string,
): Promise<RunningImport | null> {
  const rows = await runPrepared<RunningImport>(database, START, [importId, runId]);
  return rows[0] ?? null;
}

/** How far a step is: `checking` counts bytes. */
export interface ImportProgress {
  readonly step: ImportStep;
  readonly completed: number;
  readonly total: number;
}

/** The one attempt that may write to the row. */
export interface RunKey {
  readonly id: string;
  readonly runId: string;
}

function runningRow(database: Database, { id, runId }: RunKey) {
  return ImportModel.query(database).where({ id, runId, status: 'running' });
}

/** Records how far a running import is; changes nothing when another attempt has taken it over. */
export async function recordProgress(
  database: Database,
  run: RunKey,
  progress: ImportProgress,
): Promise<void> {
  await runningRow(database, run).patch({
    ...nextVersion(database),
    progressStep: progress.step,
    progressCompleted: progress.completed,
    progressTotal: progress.total,
  });
}

/** How an import ended. */
export type ImportEnd =
  | {
      readonly status: 'succeeded';
      readonly outcome: ImportOutcome;
      /** Null where validateOnly would have made a new module. */
      readonly moduleId: string | null;
      readonly revision: number;
      readonly lists: ProblemLists;
    }
  | {
      readonly status: 'rejected';
      /** The module that the package named, if that could be read. */
      readonly namedModuleId: string | null;
      readonly lists: ProblemLists;
    };

/** Writes an import's end. False when another attempt has taken it over: then nothing may be committed. */
export async function endImport(database: Database, run: RunKey, end: ImportEnd): Promise<boolean> {
  const { lists } = end;
  const changed = await runningRow(database, run).patch({
    ...nextVersion(database),
    status: end.status,
    ...(end.status === 'succeeded'
      ? { outcome: end.outcome, moduleId: end.moduleId, revision: end.revision }
      : { namedModuleId: end.namedModuleId }),
    errors: [...lists.errors],
    warnings: [...lists.warnings],
    errorsTotal: lists.errorsTotal,
    finishedAt: database.raw('now()'),
    // The last progress shows that nothing is left to do.
    progressStep: 'writing',
    progressCompleted: 1,
    progressTotal: 1,
  });
  return changed === 1;
}

/** Cancels a queued import; false when it is not queued any more. */
export async function cancelImport(
  database: Database,
  organizationId: string,
  importId: string,
): Promise<boolean> {
  const changed = await ImportModel.query(database)
    .findById(importId)
    .where({ organizationId, status: 'queued' })
    .patch({ ...nextVersion(database), status: 'cancelled', finishedAt: database.raw('now()') });
  return changed === 1;
}
