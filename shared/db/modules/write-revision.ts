import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { PackageFile } from '../../package/package-report.ts';
import { withoutValues, type Descriptor } from '../../package/descriptor/descriptor.ts';
import type { PassedCheck } from '../../package/rule-versions.ts';
import type { RolesEntities } from '../../package/roles/roles-entities.ts';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { authorityHolds } from '../access/authority.ts';
import { changesInsert, objectOf } from '../changes/record-changes.ts';
import { ENDED_SUBJECT, endOfImport, endValues, type SucceededImport } from '../imports/attempts.ts';
import { preparedStatement, queryRow, queryRows } from '../statement.ts';
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
  everyone: ':released::boolean',
  organizationIds: "'[]'::jsonb",
  percent: 'null::int',
});

const FILE_COLUMNS = `module_id, revision, path, media_type, size_bytes, sha256, crc32, method, data_offset, packed_bytes,
       packed_crc32`;
const FILES = `unnest(
      :paths::text[], :mediaTypes::text[], :sizes::bigint[], :sha256s::bytea[], :crc32s::bigint[], :methods::text[],
      :dataOffsets::bigint[], :packedSizes::bigint[], :packedCrc32s::bigint[]) as file`;

/** The archive becomes that of the revision. The module must not belong to another organization. */
const ENDED = endOfImport({
  set: 'archive_key = null',
  where: `${authorityHolds('authority')}
    and not exists (select from modules where id = :moduleId::uuid and organization_id <> :organizationId::uuid)`,
});

/** The revision and the end of the import, in this order. */
const EVENTS = `(
      select module_id, type, subject from written cross join ended cross join lateral (values
        (1, case when :released::boolean then 'revision.released' else 'revision.staged' end,
          ${objectOf({ revision: 'revision', audience: AUDIENCE })}),
        (2, 'import.ended', ${objectOf(ENDED_SUBJECT)})) event (rank, type, subject)
      order by rank) as event`;

/*
 * One statement for the end of the import and three tables: a round trip costs more than the rows. Only very many files
 * need more statements, in one transaction. Nothing is written when another attempt runs the import. A revision that
 * everyone gets ends the ring and all previews; the module has the scope of its current revision, or of the newest while
 * there is none. Who imported it is kept with the revision, which stays longer than the import. The foreign keys are checked
 * when the statement ends.
 */
const WRITE = preparedStatement(`
  with ended as (${ENDED} returning id, imported_by, trace_id, authority, publisher, acceptance_order, status, outcome), module as (
    insert into modules (id, organization_id, tenant_id, current_revision, newest_revision)
    select :moduleId::uuid, :organizationId::uuid, :tenantId::uuid,
      case when :released::boolean then :revision::int end, :revision::int
    from ended
    on conflict (id) do update
      set current_revision = coalesce(excluded.current_revision, modules.current_revision),
        newest_revision = excluded.newest_revision, ${endOfRing(':released::boolean')},
        previewed_revisions = case when :released::boolean then '{}' else modules.previewed_revisions end,
        updated_at = now(), deleted_at = null, deleted_by = null
      where modules.organization_id = excluded.organization_id
        and (not :released::boolean or (select acceptance_order from ended) > ${releaseDecidedAtImport('modules')})
    returning id, tenant_id, organization_id, current_revision, created_at
  ), named as (
    select tenant_id, organization_id, :scope::text as scope,
      case when :released::boolean or current_revision is null then module.id end as module_id
    from module
  ), ${takeScope('named', {
    actor: '(select imported_by from ended)',
    actorName: 'null',
    traceId: '(select trace_id from ended)',
    authority: '(select authority from ended)',
  })}, no_previewers as (
    delete from revision_previewers p using module where :released::boolean and p.module_id = module.id
  ), written as (
    insert into module_revisions
      (module_id, revision, organization_id, import_id, imported_by, publisher, descriptor, environment, roles,
       alert_rules, fingerprint, packing, checks, archive_key, archive_bytes, archive_sha256, released_at)
    select module.id, :revision::int, :organizationId::uuid, ended.id, ended.imported_by, ended.publisher,
      :descriptor::jsonb, :environment::bytea, :roles::jsonb, :alertRules::json,
      :fingerprint::bytea, :packing::bytea, :checks::jsonb, :archiveKey, :archiveBytes::bigint,
      :archiveSha256::bytea, case when :released::boolean then now() end
    from module, ended returning module_id, revision, descriptor
  ), recorded as (${changesInsert('type', EVENTS, { organizationId: 'null', subject: 'subject' })}), behind as (
    -- Nothing depends on a new module.
    ${noteBehind('written where :released::boolean and revision > 1')}
  ), unsearched as (
    -- Only the revision that everyone gets is visible from now on.
    delete from search_texts s using module where :released::boolean and s.module_id = module.id
  ), searched as (${insertSearchTexts(`(
      select written.*, tenant_id, created_at, :searchedNames::text as searched_names, :searchedWords::text as searched_words
      from written, module where :released::boolean) as text`)}
  ), filed as (
    insert into module_files (${FILE_COLUMNS}) select module_id, revision, file.* from written, ${FILES}
  )
  select ended.id, written.revision from ended left join written on true`);

/** At most this many files are written by one statement: the driver makes its text in one go. */
const FILES_PER_STATEMENT = 1_000;

const MORE_FILES = preparedStatement(`
  insert into module_files (${FILE_COLUMNS}) select :moduleId::uuid, :revision::int, file.* from ${FILES}`);

/** How the import that writes a revision ends, and the attempt that may end it. */
export interface RevisionEnd extends SucceededImport {
  readonly runId: string;
}

/**
 * Writes a revision with its files, makes it the module's current one unless it is staged, and ends the import as
 * succeeded. False when another attempt runs the import, or the authority for it was withdrawn: then nothing was written.
 * @throws ReleaseDecidedError
 */
export async function writeRevision(
  database: Database,
  keys: EncryptionKeys,
  next: NextRevision,
  files: readonly PackageFile[],
  end: RevisionEnd,
): Promise<boolean> {
  const values = {
    ...endValues({ id: next.importId, runId: end.runId }, end),
    ...revisionValues(keys, next),
  };
  const writeFirst = async (transaction: Database) => {
    const first = filesValues(files.slice(0, FILES_PER_STATEMENT));
    const written = await queryRow<{ revision: number | null }>(transaction, WRITE, { ...values, ...first });
    if (written?.revision === null) throw new ReleaseDecidedError();
    return written !== null;
  };
  if (files.length <= FILES_PER_STATEMENT) return writeFirst(database);
  const writeAll = async (transaction: Database): Promise<boolean> => {
    if (!(await writeFirst(transaction))) return false;
    for (let from = FILES_PER_STATEMENT; from < files.length; from += FILES_PER_STATEMENT) {
      const more = filesValues(files.slice(from, from + FILES_PER_STATEMENT));
      await queryRows(transaction, MORE_FILES, { moduleId: next.moduleId, revision: next.revision, ...more });
    }
    return true;
  };
  return database.isTransaction === true ? writeAll(database) : database.transaction(writeAll);
}

function revisionValues(keys: EncryptionKeys, { descriptor, roles, alertRules, ...row }: NextRevision) {
  const { moduleId } = row;
  const { environmentVariables, scope } = descriptor;
  return {
    ...row,
    scope,
    released: row.isReleased,
    ...searchedTexts(descriptor.translations),
    descriptor: JSON.stringify(withoutValues(descriptor)),
    environment: keys.sealJson(environmentVariables, environmentOf(moduleId)),
    fingerprint: keys.seal(row.fingerprint, fingerprintOf(moduleId)),
    roles: roles && JSON.stringify(roles),
    alertRules: alertRules && JSON.stringify(alertRules),
    checks: JSON.stringify(row.checks),
  };
}

function filesValues(files: readonly PackageFile[]) {
  return {
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
