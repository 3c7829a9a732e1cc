import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { PackageFile } from '../../package/package-report.ts';
import type { Descriptor } from '../../package/descriptor/descriptor.ts';
import type { Problem } from '../../package/problem.ts';
import type { PassedCheck } from '../../package/rule-versions.ts';
import type { RolesEntities } from '../../package/roles/roles-entities.ts';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import { changesInsert } from '../changes/record-changes.ts';
import { preparedStatement, runPrepared } from '../prepared-statement.ts';
import { sealEnvironment, sealFingerprint } from './sealed-columns.ts';

/** A revision to be written. */
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

/*
 * One statement for the end of the import and three tables: a round trip costs more than the rows. Only very many files
 * need more statements, in one transaction. The import's
 * archive becomes the revision's. Nothing is written when another attempt runs the import, or when the module
 * belongs to another organization. A revision that everyone gets ends the ring and all previews; the scope is that of the
 * current revision, or of the newest while there is none. Who imported it is kept with the revision, which stays longer
 * than the import. The foreign keys are checked when the statement ends.
 */
const WRITE = preparedStatement(`
  with ended as (
    update imports set status = 'succeeded', outcome = $3, module_id = $5, revision = $6,
      errors = '[]', warnings = $4::jsonb, errors_total = 0, archive_key = null, finished_at = now(),
      updated_at = now(), version = version + 1, progress_step = 'writing', progress_completed = 1, progress_total = 1,
      released = $28::boolean
    where id = $1 and run_id = $2 and status = 'running'
      and not exists (select from modules where id = $5 and organization_id <> $7)
    returning id, imported_by, publisher
  ), module as (
    insert into modules (id, organization_id, tenant_id, scope, current_revision, newest_revision)
    select $5::uuid, $7::uuid, $8::uuid, $9::text, case when $28::boolean then $6::int end, $6::int from ended
    on conflict (id) do update
      set scope = case when $28::boolean or modules.current_revision is null then excluded.scope else modules.scope end,
        current_revision = coalesce(excluded.current_revision, modules.current_revision),
        newest_revision = excluded.newest_revision,
        ring_revision = case when not $28::boolean then modules.ring_revision end,
        ring_organization_ids = case when $28::boolean then '{}' else modules.ring_organization_ids end,
        ring_percent = case when not $28::boolean then modules.ring_percent end,
        previewed_revisions = case when $28::boolean then '{}' else modules.previewed_revisions end,
        updated_at = now(), deleted_at = null, deleted_by = null
      where modules.organization_id = excluded.organization_id
    returning id
  ), no_previewers as (
    delete from revision_previewers p using module where $28::boolean and p.module_id = module.id
  ), written as (
    insert into module_revisions
      (module_id, revision, organization_id, import_id, descriptor, roles, alert_rules, fingerprint, packing,
       archive_key, archive_bytes, archive_sha256, environment, released_at, imported_by, publisher, checks)
    select module.id, $6, $7::uuid, $1::uuid, $10::jsonb, $11::jsonb, $12::json,
      $13, $14, $15, $16, $17, $27::bytea, case when $28::boolean then now() end, ended.imported_by, ended.publisher,
      $29::jsonb
    from module, ended returning module_id, revision
  ), recorded as (${changesInsert(
    {
      type: "case when $28::boolean then 'revision.released' else 'revision.staged' end",
      moduleId: 'module_id',
      subject: "jsonb_build_object('revision', revision)",
    },
    'written',
  )}), filed as (
    insert into module_files
      (module_id, revision, path, media_type, size_bytes, sha256, crc32, method, data_offset, packed_bytes,
       packed_crc32)
    select written.*, file.* from written, unnest(
      $18::text[], $19::text[], $20::bigint[], $21::bytea[], $22::bigint[],
      $23::text[], $24::bigint[], $25::bigint[], $26::bigint[]
    ) as file
  )
  select revision from written`);

/** So many files are written by one statement: the driver makes its text in one go. */
const FILES_PER_STATEMENT = 1_000;

const MORE_FILES = preparedStatement(`
  insert into module_files
    (module_id, revision, path, media_type, size_bytes, sha256, crc32, method, data_offset, packed_bytes, packed_crc32)
  select $1::uuid, $2::int, file.* from unnest(
    $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::bigint[],
    $8::text[], $9::bigint[], $10::bigint[], $11::bigint[]
  ) as file`);

/** How the import that writes a revision ends. */
export interface RevisionEnd {
  /** The attempt that may end it. */
  readonly runId: string;
  readonly outcome: 'created' | 'updated';
  readonly warnings: readonly Problem[];
}

/**
 * Writes a revision with its files, makes it the module's current one unless it is staged, and ends the import as
 * succeeded.
 * False when another attempt runs the import: then nothing was written.
 */
export async function writeRevision(
  database: Database,
  keys: EncryptionKeys,
  next: NextRevision,
  files: readonly PackageFile[],
  end: RevisionEnd,
): Promise<boolean> {
  if (files.length <= FILES_PER_STATEMENT) return writeFirst(database, keys, next, files, end);
  const writeAll = async (transaction: Database): Promise<boolean> => {
    const first = files.slice(0, FILES_PER_STATEMENT);
    if (!(await writeFirst(transaction, keys, next, first, end))) return false;
    for (let from = FILES_PER_STATEMENT; from < files.length; from += FILES_PER_STATEMENT) {
      const more = columnsOf(files.slice(from, from + FILES_PER_STATEMENT));
      await runPrepared(transaction, MORE_FILES, [next.moduleId, next.revision, ...more]);
    }
    return true;
  };
  return database.isTransaction === true ? writeAll(database) : database.transaction(writeAll);
}

/** Writes the revision with its first files, and the end of the import. */
async function writeFirst(
  database: Database,
  keys: EncryptionKeys,
  next: NextRevision,
  files: readonly PackageFile[],
  { runId, outcome, warnings }: RevisionEnd,
): Promise<boolean> {
  const { descriptor, roles, alertRules, moduleId, ...row } = next;
  const { environmentVariables } = descriptor;
  const fingerprint = sealFingerprint(keys, moduleId, row.fingerprint);
  const environment = sealEnvironment(keys, moduleId, environmentVariables);
  const end = [row.importId, runId, outcome, JSON.stringify(warnings)];
  const module = [moduleId, row.revision, row.organizationId, row.tenantId, descriptor.scope];
  const content = [
    JSON.stringify({ ...descriptor, environmentVariables: environmentVariables.map(withoutValue) }),
    roles && JSON.stringify(roles),
    alertRules && JSON.stringify(alertRules),
  ];
  const archive = [fingerprint, row.packing, row.archiveKey, row.archiveBytes, row.archiveSha256];
  const rows = await runPrepared(database, WRITE, [
    ...end,
    ...module,
    ...content,
    ...archive,
    ...columnsOf(files),
    environment,
    row.isReleased,
    JSON.stringify(row.checks),
  ]);
  return rows.length === 1;
}

function columnsOf(files: readonly PackageFile[]) {
  return [
    files.map((file) => file.path),
    files.map((file) => file.mediaType),
    files.map((file) => file.sizeBytes),
    files.map((file) => Buffer.from(file.sha256, 'hex')),
    files.map((file) => file.crc32),
    files.map((file) => file.method),
    files.map((file) => file.dataOffset),
    files.map((file) => file.packedBytes),
    files.map((file) => file.packedCrc32),
  ];
}

function withoutValue({ appEnvironmentId, key }: Descriptor['environmentVariables'][number]) {
  return { appEnvironmentId, key };
}
