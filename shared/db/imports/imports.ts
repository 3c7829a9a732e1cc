import type { Database } from '../database.ts';
import { auditInsert, type Actor } from '../access/audit-log.ts';
import { CLAIM, type ClaimedKey, type IdempotencyClaim } from '../idempotency-keys.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { ENDED_RECORDED } from './attempts.ts';
import { ImportModel, type ImportRow, type ImportStatus } from './models.ts';
import { onlyRow, preparedStatement, queryRows } from '../statement.ts';

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
  | 'renameScope'
  | 'authority'
> &
  Pick<Actor, 'actorName'>;

export type CreatedImport =
  | { readonly kind: 'created' }
  /** The idempotency key belongs to an earlier import of the same upload. */
  | { readonly kind: 'repeated'; readonly importId: string }
  /** The idempotency key was used for another request. */
  | { readonly kind: 'mismatch' };

/** The run that has the token; without claims where its publisher is removed at the same time. */
const PUBLISHER_RUN = `(
        select jsonb_build_object('issuer', t.issuer, 'subject', t.subject, 'repository', t.repository,
          'workflow', t.workflow, 'commit', t.commit, 'run', t.run)
        from (select) as one left join publisher_tokens t on t.id = :publisherTokenId::uuid
        where :publisherTokenId::uuid is not null)`;

/*
 * One statement, with the entry in the audit log: a round trip costs more than the row. The foreign key of the claim is
 * checked when the statement ends. `allowed` has a row where the import is to be created.
 */
function insertFrom(allowed: string): string {
  const entry = {
    ...{ actor: 'imported_by', traceId: 'trace_id', authority: 'authority' },
    ...{ targetId: 'id', targetName: 'file_name' },
  };
  return `accepted as (
    insert into imports (id, organization_id, tenant_id, imported_by, validate_only, expected_revisions, new_module_id,
      file_name, size_bytes, sha256, archive_key, trace_id, trace_parent, only_module_id, publisher_token_id, staged, rename_scope, authority, publisher)
    select :id::uuid, :organizationId::uuid, :tenantId::uuid, :importedBy, :validateOnly::boolean,
      :expectedRevisions::integer[], :newModuleId::uuid, :fileName, :sizeBytes::bigint, :sha256::bytea, :archiveKey,
      :traceId, :traceParent, :onlyModuleId::uuid, :publisherTokenId::uuid, :staged::boolean, :renameScope::boolean, :authority::jsonb, ${PUBLISHER_RUN}
    from ${allowed}
    returning id, organization_id, imported_by, trace_id, authority, file_name
  ), recorded as (
    ${auditInsert('import.accepted', 'accepted', entry)}
  )`;
}

const INSERT = preparedStatement(`with ${insertFrom('(select) as one')} select`);

const CLAIM_AND_INSERT = preparedStatement(
  `with claim as (${CLAIM}), ${insertFrom('claim where claim.import_id = :id::uuid')}
   select import_id, fingerprint from claim`,
);

/** Writes an import's row, its entry in the audit log, and the claim of its idempotency key where it has one. */
export async function createImport(
  database: Database,
  row: NewImport,
  claim: IdempotencyClaim | null,
): Promise<CreatedImport> {
  if (claim === null) {
    await queryRows(database, INSERT, row);
    return { kind: 'created' };
  }
  const known = await onlyRow<ClaimedKey>(database, CLAIM_AND_INSERT, { ...row, ...claim, importId: row.id });
  if (known.importId === row.id) return { kind: 'created' };
  return known.importId !== null && known.fingerprint.equals(claim.fingerprint)
    ? { kind: 'repeated', importId: known.importId }
    : { kind: 'mismatch' };
}

/** An import of an organization; of any organization, for operators, where that is null. */
export async function findImport(
  database: Database,
  organizationId: string | null,
  importId: string,
): Promise<ImportRow | null> {
  const query = ImportModel.query(database).findById(importId);
  return (await query.where({ ...(organizationId !== null && { organizationId }) })) ?? null;
}

/** The filter of a list; null: every status, every module. */
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

export interface WatchedImport {
  readonly id: string;
  /** Found when its version is higher; null: when it has ended. */
  readonly seenVersion: number | null;
}

const CHANGED = preparedStatement(
  `select imports.* from imports join unnest(:ids::uuid[], :seenVersions::integer[]) as watched (watched_id, seen_version)
     on id = watched_id
   where version > seen_version or (seen_version is null and status not in ('queued', 'running'))`,
);

/** Those of the imports that have changed, or ended. */
export async function findChangedImports(database: Database, watched: readonly WatchedImport[]) {
  const ids = watched.map(({ id }) => id);
  const seenVersions = watched.map(({ seenVersion }) => seenVersion);
  return queryRows<ImportRow>(database, CHANGED, { ids, seenVersions });
}

const MISSING = preparedStatement(
  `select awaited.id from unnest(:importIds::uuid[]) as awaited (id)
   where not exists (select from imports where imports.id = awaited.id)`,
);

/** Those of the imports that have no row: a standby that took over may lack the last commits of its primary. */
export async function findMissingImports(
  database: Database,
  importIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string }>(database, MISSING, { importIds });
  return rows.map(({ id }) => id);
}

const CANCEL = `
  with ended as (
    update imports set status = 'cancelled', finished_at = now(), updated_at = now(), version = version + 1
    where id = :importId and organization_id = :organizationId and status = 'queued' returning *
  ), notified as (${ENDED_RECORDED})
  ${auditInsert('import.cancelled', 'ended', { targetId: 'id', targetName: 'file_name' })}`;

/** Cancels a queued import; false when it is not queued any more. */
export async function cancelImport(
  database: Database,
  organizationId: string,
  importId: string,
  actor: Actor,
): Promise<boolean> {
  const values = { organizationId, importId, ...actor };
  const { rowCount } = await database.raw<{ rowCount: number }>(CANCEL, values);
  return rowCount === 1;
}
