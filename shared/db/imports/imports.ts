import type { Database } from '../database.ts';
import { auditInsert, type Actor } from '../access/audit-log.ts';
import { claimKeys, type IdempotencyClaim } from '../idempotency-keys.ts';
import { requireAuthority } from '../access/authority.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { objectOf } from '../changes/record-changes.ts';
import { ASYNCHRONOUS_COMMIT, type Channel } from '../notifications.ts';
import { ENDED_RECORDED } from './attempts.ts';
import { ImportModel, type ImportRow, type ImportStatus } from './models.ts';
import { byteaText, LOCK_LIMIT, preparedStatement, queryRows, queryTogether } from '../statement.ts';

/** What is known of an import when its upload has been stored, and the claim of its idempotency key; null: it has none. */
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
  | 'groupId'
> &
  Pick<Actor, 'actorName'> & { readonly claim: IdempotencyClaim | null };

export type CreatedImport =
  | { readonly kind: 'created' }
  /** The idempotency key belongs to an earlier import of the same upload. */
  | { readonly kind: 'repeated'; readonly importId: string }
  /** The idempotency key was used for another request. */
  | { readonly kind: 'mismatch' };

const UPLOADS = `jsonb_to_recordset(:uploads::jsonb) as upload ("id" uuid, "organizationId" uuid, "tenantId" uuid,
      "importedBy" text, "actorName" text, "validateOnly" boolean, "expectedRevisions" integer[], "newModuleId" uuid,
      "fileName" text, "sizeBytes" bigint, "sha256" bytea, "archiveKey" text, "traceId" text, "traceParent" text,
      "onlyModuleId" uuid, "publisherTokenId" uuid, "staged" boolean, "renameScope" boolean, "authority" jsonb,
      "groupId" uuid, "key" text, "fingerprint" bytea, "keepDays" int)`;

/** The run that has the token; without claims where its publisher is removed at the same time. */
const PUBLISHER_RUN = `(
        select jsonb_build_object('issuer', t.issuer, 'subject', t.subject, 'repository', t.repository,
          'workflow', t.workflow, 'commit', t.commit, 'run', t.run)
        from (select) as one left join publisher_tokens t on t.id = "publisherTokenId"
        where "publisherTokenId" is not null)`;

const KEYS = `(select "organizationId" as organization_id, key, fingerprint, id as import_id, "keepDays" as keep_days
      from upload where key is not null order by key) as claiming`;

/*
 * One statement for all uploads, with their entries in the audit log: a round trip costs more than a row. The foreign key of
 * a claim is checked when the statement ends. An upload whose key stands for another request is not accepted.
 */
const CREATE = preparedStatement(`
  with upload as (select *, ${LOCK_LIMIT} from ${UPLOADS}), claim as (${claimKeys(KEYS)}), accepted as (
    insert into imports (id, organization_id, tenant_id, imported_by, validate_only, expected_revisions, new_module_id,
      file_name, size_bytes, sha256, archive_key, trace_id, trace_parent, only_module_id, publisher_token_id, staged,
      rename_scope, authority, publisher, group_id)
    select id, "organizationId", "tenantId", "importedBy", "validateOnly", "expectedRevisions", "newModuleId", "fileName",
      "sizeBytes", "sha256", "archiveKey", "traceId", "traceParent", "onlyModuleId", "publisherTokenId", "staged",
      "renameScope", "authority", ${PUBLISHER_RUN}, "groupId"
    from upload
    where key is null or exists (select from claim where claim.import_id = upload.id)
    returning id
  ), recorded as (${auditInsert('import.accepted', '(accepted join upload using (id))', {
    ...{
      organizationId: '"organizationId"',
      actor: '"importedBy"',
      actorName: '"actorName"',
      traceId: '"traceId"',
    },
    ...{ authority: '"authority"', targetId: 'id', targetName: '"fileName"' },
  })})
  select upload.id, claim.import_id, claim.fingerprint,
    case when claim.key is not null and claim.import_id is distinct from upload.id
      then ${requireAuthority('authority')} end as is_authorized
  from upload left join claim on claim.organization_id = "organizationId" and claim.key = upload.key`);

interface FoundKey {
  readonly id: string;
  /** Null: the key stands for another request than an upload, or there is none. */
  readonly importId: string | null;
  readonly fingerprint: Buffer | null;
}

/**
 * Writes the rows of imports, their entries in the audit log, and the claims of their idempotency keys; what became of each,
 * in the same order. All of it fails where one of them does, as where two have the same key. One alone waits for the key of
 * a concurrent request; of several none does.
 */
export async function createImports(
  database: Database,
  imports: readonly NewImport[],
): Promise<readonly CreatedImport[]> {
  const uploads = imports.map(({ claim, sha256, ...row }) => ({
    ...row,
    sha256: byteaText(sha256),
    ...(claim !== null && { ...claim, fingerprint: byteaText(claim.fingerprint) }),
  }));
  const values = { uploads: JSON.stringify(uploads, wellFormed) };
  const rows = await queryTogether<FoundKey>(database, CREATE, values, imports.length);
  const found = new Map(rows.map((row) => [row.id, row]));
  return imports.map(({ id, claim }) => {
    const known = found.get(id);
    if (claim === null || known?.importId === id) return { kind: 'created' };
    return typeof known?.importId === 'string' && known.fingerprint?.equals(claim.fingerprint) === true
      ? { kind: 'repeated', importId: known.importId }
      : { kind: 'mismatch' };
  });
}

/** PostgreSQL refuses the escape of a lone surrogate, which a token can contain. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
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

/** What became of an import: the columns of its row that the answer to its upload needs. */
const END = {
  id: 'id',
  organizationId: 'organization_id',
  status: 'status',
  outcome: 'outcome',
  moduleId: 'module_id',
  revision: 'revision',
  released: 'released',
  validateOnly: 'validate_only',
  errors: 'errors',
  warnings: 'warnings',
  errorsTotal: 'errors_total',
  unlistedErrors: 'unlisted_errors',
} as const satisfies Partial<Record<keyof ImportRow, string>>;

/** An import that has ended, as its notification contains it. */
export type EndedImport = Pick<ImportRow, keyof typeof END>;

/**
 * The channel that reports imports which changed: one that has ended with its end, if that fits in 8,000 bytes, and others with their
 * IDs. So does one that failed: an operator may have it tried again before the message arrives.
 */
export const IMPORTS_CHANNEL: Channel = {
  name: 'import_changed',
  notify: preparedStatement(`
    select ${ASYNCHRONOUS_COMMIT}, pg_notify('import_changed', coalesce(
      (select message from imports cross join lateral (select ${objectOf(END)}::text) as ended (message)
        where imports.id = changed.id and status in ('succeeded', 'rejected', 'cancelled') and octet_length(message) < 8000),
      changed.id::text))
    from unnest((select :ids::uuid[])) as changed (id)`),
};

/** The end in a message of the channel of imports; null: there is none in it, or that of another version of the service. */
export function endIn(message: string): EndedImport | null {
  if (!message.startsWith('{')) return null;
  try {
    const end: unknown = JSON.parse(message);
    return isEnd(end) ? end : null;
  } catch {
    // Whoever can connect to the database can notify.
    return null;
  }
}

function isEnd(value: unknown): value is EndedImport {
  return value instanceof Object && Object.keys(END).every((name) => Object.hasOwn(value, name));
}

export interface WatchedImport {
  readonly id: string;
  /**
   * Found when its version is another one, or it has ended; null: only when it has ended. A crash of the database may lose
   * progress, which is committed asynchronously: versions also go back.
   */
  readonly seenVersion: number | null;
}

/** The lists are queries of their own: PostgreSQL would otherwise plan each read anew, for the length of its lists. */
const CHANGED = preparedStatement(
  `select imports.*
   from imports join unnest((select :ids::uuid[]), (select :seenVersions::integer[])) as watched (watched_id, seen_version)
     on id = watched_id
   where version <> seen_version or status not in ('queued', 'running')`,
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
