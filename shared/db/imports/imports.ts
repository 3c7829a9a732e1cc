import type { ProblemLists } from '../../package/problem.ts';
import type { Database } from '../database.ts';
import { writeAudit, auditInsert, type Actor } from '../access/audit-log.ts';
import { CLAIM, type ClaimedKey, type IdempotencyClaim } from './idempotency-keys.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import {
  ImportModel,
  type ImportOutcome,
  type ImportRow,
  type ImportStatus,
  type ImportStep,
} from './models.ts';
import { preparedStatement, runPrepared } from '../prepared-statement.ts';
import type { RunningImport } from '../modules/registry-state.ts';

/** The columns of an import that are known when its upload has been stored. */
export type NewImport = Pick<
  ImportModel,
  | 'id'
  | 'organizationId'
  | 'tenantId'
  | 'importedBy'
  | 'validateOnly'
  | 'expectedRevisions'
  | 'newModuleId'
  | 'fileName'
  | 'sizeBytes'
  | 'sha256'
  | 'archiveKey'
  | 'traceId'
  | 'traceParent'
  | 'onlyModuleId'
  | 'publisherTokenId'
  | 'staged'
>;

/** The result of creating an import. */
export type CreatedImport =
  | { readonly kind: 'created' }
  /** The idempotency key belongs to an earlier import of the same upload. */
  | { readonly kind: 'repeated'; readonly importId: string }
  /** The idempotency key was used for another upload. */
  | { readonly kind: 'mismatch' };

/** The run that has the token; without claims where its publisher is removed at the same time. */
const PUBLISHER_RUN = `(
        select jsonb_build_object('issuer', t.issuer, 'subject', t.subject, 'repository', t.repository,
          'commit', t.commit, 'run', t.run)
        from (select) as one left join publisher_tokens t on t.id = $15::uuid where $15::uuid is not null)`;

/*
 * One statement, with the entry in the audit log: a round trip costs more than the row. The foreign key of the claim is
 * checked when the statement ends. `allowed` has a row where the import is to be created.
 */
function insertFrom(allowed: string): string {
  const entry = {
    organizationId: 'organization_id',
    actor: 'imported_by',
    traceId: 'trace_id',
    action: "'import.accepted'",
    targetId: 'id',
  };
  return `accepted as (
    insert into imports (id, organization_id, tenant_id, imported_by, validate_only, expected_revisions, new_module_id,
      file_name, size_bytes, sha256, archive_key, trace_id, trace_parent, only_module_id, publisher_token_id, staged, publisher)
    select $1::uuid, $2::uuid, $3::uuid, $4, $5::boolean, $6::integer[], $7::uuid, $8, $9::bigint, $10::bytea, $11, $12, $13,
      $14::uuid, $15::uuid, $16::boolean, ${PUBLISHER_RUN}
    from ${allowed}
    returning id, organization_id, imported_by, trace_id
  ), recorded as (
    ${auditInsert(entry, 'accepted')}
  )`;
}

const INSERT = preparedStatement(`with ${insertFrom('(select) as one')} select`);

const CLAIM_AND_INSERT = preparedStatement(
  `with claim as (${CLAIM}), ${insertFrom('claim where claim.import_id = $1::uuid')}
   select import_id as "importId", fingerprint from claim`,
);

/** Writes an import's row, its entry in the audit log, and the claim of its idempotency key where it has one. */
export async function createImport(
  database: Database,
  row: NewImport,
  claim: IdempotencyClaim | null,
): Promise<CreatedImport> {
  const { id, organizationId, tenantId, importedBy, validateOnly, expectedRevisions, newModuleId } = row;
  const { fileName, sizeBytes, sha256, archiveKey, traceId, traceParent } = row;
  const { onlyModuleId, publisherTokenId, staged } = row;
  const identity = [id, organizationId, tenantId, importedBy, validateOnly, expectedRevisions, newModuleId];
  const upload = [fileName, sizeBytes, sha256, archiveKey, traceId, traceParent];
  const values = [...identity, ...upload, onlyModuleId, publisherTokenId, staged];
  if (claim === null) {
    await runPrepared(database, INSERT, values);
    return { kind: 'created' };
  }
  const claimed = [...values, claim.key, claim.fingerprint, claim.keepDays];
  const [known] = await runPrepared<ClaimedKey>(database, CLAIM_AND_INSERT, claimed);
  if (known === undefined) throw new Error('an idempotency key was claimed but not returned');
  if (known.importId === id) return { kind: 'created' };
  return known.fingerprint.equals(claim.fingerprint)
    ? { kind: 'repeated', importId: known.importId }
    : { kind: 'mismatch' };
}

/** Every column of an import, under the name of its member. */
const COLUMNS = `
  id, organization_id as "organizationId", tenant_id as "tenantId", imported_by as "importedBy", status,
  validate_only as "validateOnly", expected_revisions as "expectedRevisions", new_module_id as "newModuleId",
  run_id as "runId", retries, file_name as "fileName", size_bytes as "sizeBytes", sha256, archive_key as "archiveKey",
  trace_id as "traceId",
  trace_parent as "traceParent", outcome, module_id as "moduleId", named_module_id as "namedModuleId", revision,
  errors, warnings, errors_total as "errorsTotal", progress_step as "progressStep",
  progress_completed as "progressCompleted", progress_total as "progressTotal", version,
  acceptance_order as "acceptanceOrder", created_at as "createdAt", updated_at as "updatedAt",
  queued_at as "queuedAt", started_at as "startedAt", finished_at as "finishedAt", failed_at as "failedAt",
  only_module_id as "onlyModuleId", publisher_token_id as "publisherTokenId", publisher, failure, staged, released,
  dismissed_at as "dismissedAt"`;

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
  /** Whether an operator has dismissed them; absent: both. */
  readonly isDismissed?: boolean | undefined;
  /** Also finds the rejected imports whose packages named the module. */
  readonly moduleId: string | null;
}

/** Imports of an organization, newest first; of all organizations, for operators, where that is null. */
export async function listImports(
  database: Database,
  organizationId: string | null,
  page: PageRequest,
  { status, moduleId, isDismissed }: ImportFilter,
): Promise<Page<ImportModel>> {
  const query = ImportModel.query(database).where({
    ...(organizationId !== null && { organizationId }),
    ...(status !== null && { status }),
  });
  if (isDismissed === true) void query.whereNotNull('dismissedAt');
  if (isDismissed === false) void query.whereNull('dismissedAt');
  if (moduleId !== null)
    void query.where((either) => {
      void either.where({ moduleId }).orWhere({ namedModuleId: moduleId });
    });
  return keysetPage(query, page);
}

/** An import that is waited for. */
export interface WatchedImport {
  readonly id: string;
  /** Found when its version is higher; null: when it has ended. */
  readonly seenVersion: number | null;
}

const CHANGED = preparedStatement(
  `select ${COLUMNS} from imports join unnest($1::uuid[], $2::integer[]) as watched (watched_id, seen_version)
     on id = watched_id
   where version > seen_version or (seen_version is null and status not in ('queued', 'running'))`,
);

/** Those of the imports that have changed, or ended. */
export async function findChangedImports(
  database: Database,
  watched: readonly WatchedImport[],
): Promise<readonly ImportRow[]> {
  const ids = watched.map(({ id }) => id);
  const versions = watched.map(({ seenVersion }) => seenVersion);
  return runPrepared<ImportRow>(database, CHANGED, [ids, versions]);
}

const MISSING = preparedStatement(
  `select awaited.id from unnest($1::uuid[]) as awaited (id)
   where not exists (select from imports where imports.id = awaited.id)`,
);

/** Those of the imports that have no row: a standby that took over may lack the last commits of its primary. */
export async function findMissingImports(
  database: Database,
  importIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await runPrepared<{ id: string }>(database, MISSING, [[...importIds]]);
  return rows.map(({ id }) => id);
}

/** Every change of the row increments its version, and resets the time after which the sweep counts it as stale. */
export function nextVersion(database: Database) {
  return { version: database.raw('version + 1'), updatedAt: database.raw('now()') };
}

const START = preparedStatement(
  `update imports set status = 'running', run_id = $2, started_at = coalesce(started_at, now()), finished_at = null,
     errors = '[]', errors_total = 0, progress_step = 'reading', progress_completed = 0, progress_total = 0,
     version = version + 1, updated_at = now()
   where id = $1 and retries = $3 and status in ('queued', 'running')
     and not exists (select from organizations o where o.id = organization_id and o.deleted_at is not null)
   returning ${COLUMNS}`,
);

/** The one job that may run an import: each of an operator's retries has its own. */
export interface ImportJob {
  readonly importId: string;
  /** 0: the job of the upload. */
  readonly retries: number;
}

/**
 * Starts an attempt: from now on only `runId` may end the import. Null when the import is unknown or has ended, the
 * job is of an earlier retry, or the organization was deleted.
 */
export async function startImport(
  database: Database,
  { importId, retries }: ImportJob,
  runId: string,
): Promise<RunningImport | null> {
  const rows = await runPrepared<RunningImport>(database, START, [importId, runId, retries]);
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
      /** Whether the revision is the one released to everyone. */
      readonly released: boolean;
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
      ? { outcome: end.outcome, moduleId: end.moduleId, revision: end.revision, released: end.released }
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
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const changed = await ImportModel.query(transaction)
      .findById(importId)
      .where({ organizationId, status: 'queued' })
      .patch({
        ...nextVersion(transaction),
        status: 'cancelled',
        finishedAt: transaction.raw('now()'),
      });
    if (changed === 0) return false;
    await writeAudit(transaction, actor, { organizationId, action: 'import.cancelled', targetId: importId });
    return true;
  });
}
