import type { AlertRules } from '../package/alert-rules.ts';
import type { PackageFile } from '../package/check-package.ts';
import type { Descriptor } from '../package/descriptor.ts';
import type { Problem } from '../package/problem.ts';
import type { RolesEntities } from '../package/roles-entities.ts';
import type { Database } from './database.ts';

/** A revision as it is written. */
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
  /** The archive that holds its files. */
  readonly archiveKey: string;
  readonly archiveBytes: number;
  readonly archiveSha256: Buffer;
}

/*
 * One statement for the end of the import and three tables: a round trip costs more than the rows. The import's
 * archive becomes the revision's. Nothing is written when another attempt runs the import; the module's row is
 * written where its owner is this organization only; the foreign keys are checked when the statement ends.
 */
const WRITE = `
  with ended as (
    update imports set status = 'succeeded', outcome = :outcome, module_id = :moduleId, revision = :revision,
      errors = '[]', warnings = :warnings::jsonb, errors_total = 0, archive_key = null, finished_at = now(),
      updated_at = now(), version = version + 1
    where id = :importId and run_id = :runId and status = 'running'
    returning id
  ), module as (
    insert into modules (id, organization_id, tenant_id, scope, current_revision)
    select :moduleId::uuid, :organizationId::uuid, :tenantId::uuid, :scope::text, :revision::int from ended
    on conflict (id) do update
      set scope = excluded.scope, current_revision = excluded.current_revision, updated_at = now(), deleted_at = null
      where modules.organization_id = excluded.organization_id
    returning id
  ), written as (
    insert into module_revisions
      (module_id, revision, organization_id, import_id, descriptor, roles, alert_rules, fingerprint, packing,
       archive_key, archive_bytes, archive_sha256)
    select id, :revision, :organizationId::uuid, :importId::uuid, :descriptor::jsonb, :roles::jsonb, :alertRules::json,
      :fingerprint, :packing, :archiveKey, :archiveBytes, :archiveSha256
    from module returning module_id, revision
  ), filed as (
    insert into module_files
      (module_id, revision, path, media_type, size_bytes, sha256, crc32, method, data_offset, packed_bytes,
       packed_crc32)
    select written.*, file.* from written, unnest(
      :paths::text[], :mediaTypes::text[], :sizes::bigint[], :hashes::bytea[], :checksums::bigint[],
      :methods::text[], :offsets::bigint[], :packedSizes::bigint[], :packedChecksums::bigint[]
    ) as file
  )
  select revision from written`;

/** How the import that writes a revision ends. */
export interface RevisionEnd {
  /** The attempt that may end it. */
  readonly runId: string;
  readonly outcome: 'created' | 'updated';
  readonly warnings: readonly Problem[];
}

/**
 * Writes a revision with its files, makes it the module's current one, and ends the import as succeeded.
 * False when another attempt runs the import: then nothing was written.
 */
export async function writeRevision(
  database: Database,
  next: NextRevision,
  files: readonly PackageFile[],
  { runId, outcome, warnings }: RevisionEnd,
): Promise<boolean> {
  const { descriptor, roles, alertRules, ...columns } = next;
  const result = await database.raw<{ rowCount: number }>(WRITE, {
    ...columns,
    runId,
    outcome,
    warnings: JSON.stringify(warnings),
    scope: descriptor.scope,
    descriptor: JSON.stringify(descriptor),
    roles: roles && JSON.stringify(roles),
    alertRules: alertRules && JSON.stringify(alertRules),
    paths: files.map((file) => file.path),
    mediaTypes: files.map((file) => file.mediaType),
    sizes: files.map((file) => file.sizeBytes),
    hashes: files.map((file) => Buffer.from(file.sha256, 'hex')),
    checksums: files.map((file) => file.crc32),
    methods: files.map((file) => file.method),
    offsets: files.map((file) => file.dataOffset),
    packedSizes: files.map((file) => file.packedBytes),
    packedChecksums: files.map((file) => file.packedCrc32),
  });
  return result.rowCount === 1;
}
