import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { PackageFile } from '../../package/package-report.ts';
import { withoutValues, type Descriptor } from '../../package/descriptor/descriptor.ts';
import type { PassedCheck } from '../../package/rule-versions.ts';
import type { RolesEntities } from '../../package/roles/roles-entities.ts';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { authorityHolds } from '../access/authority.ts';
import { changesInsert, objectOf } from '../changes/record-changes.ts';
import {
  END_COLUMNS,
  ENDED_SUBJECT,
  endOfImports,
  endRow,
  type SucceededImport,
} from '../imports/attempts.ts';
import type { Notifier } from '../notifications.ts';
import { byteaText, LOCK_LIMIT, preparedStatement, queryRows, queryTogether } from '../statement.ts';
import { environmentOf, fingerprintOf } from '../sealed-columns.ts';
import { ReleaseDecidedError } from './models.ts';
import { releaseDecidedAtImport } from './quarantine-state.ts';
import { noteBehind } from './recheck-dependents.ts';
import { takeScope } from './scopes.ts';
import { insertSearchTexts, searchedTexts } from './search-texts.ts';
import { endOfRing } from './visible-revision.ts';

export interface NextRevision {
  readonly moduleId: string;
  readonly revision: number;
  readonly organizationId: string;
  readonly tenantId: string;
  readonly importId: string;
  readonly descriptor: Descriptor;
  readonly roles: RolesEntities | null;
  readonly alertRules: AlertRules | null;
  readonly fingerprint: Buffer;
  /** SHA-256 of how each file is compressed. */
  readonly packing: Buffer;
  /** The archive that contains its files. */
  readonly archiveKey: string;
  readonly archiveBytes: number;
  readonly archiveSha256: Buffer;
  readonly checks: readonly PassedCheck[];
  /** Whether everyone gets it at once; otherwise it is staged. */
  readonly isReleased: boolean;
}

/** A staged revision has none yet. */
const AUDIENCE = objectOf({
  everyone: 'released_at is not null',
  organizationIds: "'[]'::jsonb",
  percent: 'null::int',
});

/** At most as many revisions are written by one statement. Its limit also prevents the planner from expecting more. */
export const REVISIONS_PER_STATEMENT = 16;

const GIVEN = `json_to_recordset(:revisions::json) as row (${END_COLUMNS}, "organizationId" uuid, "tenantId" uuid,
      "scope" text, "descriptor" jsonb, "environment" bytea, "roles" jsonb, "alertRules" json, "fingerprint" bytea,
      "packing" bytea, "checks" jsonb, "archiveKey" text, "archiveBytes" bigint, "archiveSha256" bytea,
      "searchedNames" text, "searchedWords" text)`;

const FILE_COLUMNS = `path, media_type, size_bytes, sha256, crc32, method, data_offset, packed_bytes, packed_crc32`;
const FILES = `unnest(
      :importIds::uuid[], :paths::text[], :mediaTypes::text[], :sizes::bigint[], :sha256s::bytea[], :crc32s::bigint[],
      :methods::text[], :dataOffsets::bigint[], :packedSizes::bigint[], :packedCrc32s::bigint[])
      as file (import_id, ${FILE_COLUMNS})`;

/**
 * The archive becomes that of the revision. The module must not belong to another organization: a value, not `exists`, which
 * PostgreSQL might join with all modules.
 */
const ENDED = endOfImports({
  set: 'archive_key = null',
  where: `${authorityHolds('authority')} and given."organizationId" =
      coalesce((select m.organization_id from modules m where m.id = given."moduleId"), given."organizationId")`,
});

/** The revision and the end of the import, in this order. */
const EVENTS = `(
      select written.module_id, event.type, event.subject
      from written join ended on ended.id = written.import_id cross join lateral (values
        (1, case when released_at is not null then 'revision.released' else 'revision.staged' end,
          ${objectOf({ revision: 'revision', audience: AUDIENCE })}),
        (2, 'import.ended', ${objectOf(ENDED_SUBJECT)})) event (rank, type, subject)
      order by rank) as event`;

/** A column of the import that names a scope, as an SQL expression. */
const ofNamed = (column: string) =>
  `(select next.${column} from next where next."moduleId" = let_go.module_id)`;

/*
 * One statement for the ends of imports and three tables: a round trip costs more than the rows. Only very many files
 * need more statements, in one transaction. Nothing is written of an import that another attempt runs. A revision that
 * everyone gets ends the ring and all previews; the module has the scope of its current revision, or of the newest while
 * there is none. Who imported it is kept with the revision, which stays longer than the import. The foreign keys are checked
 * when the statement ends.
 */
const WRITE = preparedStatement(`
  with given as (select *, ${LOCK_LIMIT} from ${GIVEN} limit ${REVISIONS_PER_STATEMENT}), ended as (
    ${ENDED}
    returning id, imported_by, trace_id, authority, publisher, acceptance_order, imports.status, imports.outcome
  ), next as (
    select given.*, imported_by, trace_id, authority, publisher, acceptance_order
    from given join ended on ended.id = given."importId"
  ), module as (
    insert into modules (id, organization_id, tenant_id, current_revision, newest_revision)
    select "moduleId", "organizationId", "tenantId", case when released then revision end, revision from next
    on conflict (id) do update
      set current_revision = coalesce(excluded.current_revision, modules.current_revision),
        newest_revision = excluded.newest_revision, ${endOfRing('excluded.current_revision is not null')},
        previewed_revisions = case when excluded.current_revision is not null then '{}' else modules.previewed_revisions end,
        updated_at = now(), deleted_at = null, deleted_by = null
      where modules.organization_id = excluded.organization_id
        and (excluded.current_revision is null
          or (select acceptance_order from next where "moduleId" = modules.id) > ${releaseDecidedAtImport('modules')})
    returning id, tenant_id, organization_id, current_revision, created_at
  ), named as (
    select module.tenant_id, module.organization_id, next.scope,
      case when released or current_revision is null then module.id end as module_id
    from module join next on next."moduleId" = module.id
  ), ${takeScope('named', {
    actor: ofNamed('imported_by'),
    actorName: 'null',
    traceId: ofNamed('trace_id'),
    authority: ofNamed('authority'),
  })}, written as (
    insert into module_revisions
      (module_id, revision, organization_id, import_id, imported_by, publisher, descriptor, environment, roles,
       alert_rules, fingerprint, packing, checks, archive_key, archive_bytes, archive_sha256, released_at,
       became_current_at)
    select module.id, revision, "organizationId", "importId", imported_by, publisher, descriptor, environment, roles,
      "alertRules", fingerprint, packing, checks, "archiveKey", "archiveBytes", "archiveSha256",
      case when released then now() end, case when released then now() end
    from module join next on next."moduleId" = module.id
    returning module_id, revision, import_id, descriptor, released_at
  ), released as (
    select * from written where released_at is not null
  ), no_previewers as (
    delete from revision_previewers p using released where p.module_id = released.module_id
  ), recorded as (${changesInsert('type', EVENTS, { organizationId: 'null', subject: 'subject' })}), behind as (
    -- Nothing depends on a new module.
    ${noteBehind('released where revision > 1')}
  ), unsearched as (
    -- Only the revision that everyone gets is visible from now on.
    delete from search_texts s using released where s.module_id = released.module_id
  ), searched as (${insertSearchTexts(`(
      select released.module_id, released.revision, released.descriptor, tenant_id, created_at,
        "searchedNames" as searched_names, "searchedWords" as searched_words
      from released join module on module.id = released.module_id
        join given on given."importId" = released.import_id) as text`)}
  ), filed as (
    insert into module_files (module_id, revision, ${FILE_COLUMNS})
    select written.module_id, written.revision, ${FILE_COLUMNS}
    from written join ${FILES} on file.import_id = written.import_id
  )
  select ended.id, written.revision from ended left join written on written.import_id = ended.id`);

/** At most this many files are written by one statement: the driver makes its text in one go. */
export const FILES_PER_STATEMENT = 1_000;

const MORE_FILES = preparedStatement(`
  insert into module_files (module_id, revision, ${FILE_COLUMNS})
  select :moduleId::uuid, :revision::int, ${FILE_COLUMNS} from ${FILES}`);

/** How the import that writes a revision ends, and the attempt that may end it. */
export interface RevisionEnd extends SucceededImport {
  readonly runId: string;
}

/** A revision with its files, and the end of its import. */
export interface RevisionWrite {
  readonly next: NextRevision;
  readonly files: readonly PackageFile[];
  readonly end: RevisionEnd;
  /** The JSON of the columns, with sealed values. */
  readonly row: string;
}

/** Prepares a write: serializes its columns, and seals their secret values. */
export function revisionWrite(
  keys: EncryptionKeys,
  { next, files, end }: Omit<RevisionWrite, 'row'>,
): RevisionWrite {
  const { descriptor, moduleId, importId, fingerprint } = next;
  const { organizationId, tenantId, roles, alertRules, checks, archiveKey, archiveBytes } = next;
  const row = {
    ...endRow({ id: importId, runId: end.runId }, end),
    ...{ organizationId, tenantId, roles, alertRules, checks, archiveKey, archiveBytes },
    ...searchedTexts(descriptor.translations),
    scope: descriptor.scope,
    descriptor: withoutValues(descriptor),
    environment: byteaText(keys.sealJson(descriptor.environmentVariables, environmentOf(moduleId))),
    fingerprint: byteaText(keys.seal(fingerprint, fingerprintOf(moduleId))),
    packing: byteaText(next.packing),
    archiveSha256: byteaText(next.archiveSha256),
  };
  return { next, files, end, row: JSON.stringify(row) };
}

/**
 * Writes revisions of different modules with their files, makes each the module's current one unless it is staged, and ends
 * their imports as succeeded; for each, in the same order, whether it was written. Nothing is written of one whose import
 * another attempt runs, or for which the authority was withdrawn. There are at most `REVISIONS_PER_STATEMENT`, and several have
 * at most `FILES_PER_STATEMENT` files together. All fail where one does.
 * @param notifier notified of the ends where no transaction is open
 * @throws ReleaseDecidedError
 */
export async function writeRevisions(
  database: Database,
  writes: readonly RevisionWrite[],
  notifier: Notifier | null = null,
): Promise<readonly boolean[]> {
  const [first] = writes;
  if (first === undefined || first.files.length <= FILES_PER_STATEMENT)
    return writeFirst(database, writes, notifier);
  const { next, files } = first;
  const writeAll = async (transaction: Database) => {
    const [isWritten = false] = await writeFirst(transaction, [first]);
    const { moduleId, revision } = next;
    for (let from = FILES_PER_STATEMENT; isWritten && from < files.length; from += FILES_PER_STATEMENT) {
      const more = filesValues([{ next, files: files.slice(from, from + FILES_PER_STATEMENT) }]);
      await queryRows(transaction, MORE_FILES, { moduleId, revision, ...more });
    }
    return [isWritten];
  };
  return database.isTransaction === true ? writeAll(database) : database.transaction(writeAll);
}

/** Writes revisions with the first of their files. */
async function writeFirst(
  database: Database,
  writes: readonly RevisionWrite[],
  notifier: Notifier | null = null,
): Promise<readonly boolean[]> {
  const files = writes.map((write) => ({ ...write, files: write.files.slice(0, FILES_PER_STATEMENT) }));
  const values = { revisions: `[${writes.map(({ row }) => row).join(',')}]`, ...filesValues(files) };
  type Written = { readonly id: string; readonly revision: number | null };
  const behind = notifier?.behind(writes.map(({ next }) => next.importId)) ?? null;
  const rows = await queryTogether<Written>(database, WRITE, values, writes.length, behind);
  if (rows.some(({ revision }) => revision === null)) throw new ReleaseDecidedError();
  const written = new Set(rows.map(({ id }) => id));
  behind?.replaces(written);
  return writes.map(({ next }) => written.has(next.importId));
}

/** The values of `FILES`. */
function filesValues(writes: readonly Pick<RevisionWrite, 'next' | 'files'>[]) {
  const files = writes.flatMap((write) => write.files);
  return {
    importIds: writes.flatMap((write) => write.files.map(() => write.next.importId)),
    paths: files.map((file) => file.path),
    mediaTypes: files.map((file) => file.mediaType),
    sizes: files.map((file) => file.sizeBytes),
    sha256s: files.map((file) => Buffer.from(file.sha256, 'hex')),
    crc32s: files.map((file) => file.crc32),
    methods: files.map((file) => file.method),
    dataOffsets: files.map((file) => file.dataOffset),
    packedSizes: files.map((file) => file.packedBytes),
    packedCrc32s: files.map((file) => file.packedCrc32),
  };
}
