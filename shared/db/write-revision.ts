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
}

/*
 * One statement for the end of the import and four tables: a round trip costs more than the rows. Nothing
 * is written when another attempt runs the import; the module's row is written where its owner is this
 * organization only; the foreign keys are checked when the statement ends.
 */
const WRITE = `
  with ended as (
    update imports set status = 'succeeded', outcome = :outcome, module_id = :moduleId, revision = :revision,
      errors = '[]', warnings = :warnings::jsonb, errors_total = 0, finished_at = now(), updated_at = now(),
      version = version + 1
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
      (module_id, revision, organization_id, import_id, descriptor, roles, alert_rules, fingerprint)
    select id, :revision, :organizationId::uuid, :importId::uuid, :descriptor::jsonb, :roles::jsonb, :alertRules::json, :fingerprint
    from module returning module_id, revision
  ), stored as (
    -- Locked in one order, so that two imports of equal files never wait for each other in a circle.
    update stored_files set stored_at = now() where object_key in (
      select object_key from stored_files where object_key = any(:objectKeys::uuid[]) and stored_at is null
      order by object_key for no key update
    )
  ), filed as (
    insert into module_files (module_id, revision, path, size_bytes, media_type, sha256, crc32, object_key)
    select written.*, file.* from written, unnest(
      :paths::text[], :sizes::bigint[], :mediaTypes::text[], :hashes::bytea[], :checksums::bigint[], :objectKeys::uuid[]
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
  stored: ReadonlyMap<string, string>,
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
    sizes: files.map((file) => file.sizeBytes),
    mediaTypes: files.map((file) => file.mediaType),
    hashes: files.map((file) => Buffer.from(file.sha256, 'hex')),
    checksums: files.map((file) => file.crc32),
    objectKeys: files.map((file) => objectKeyOf(stored, file)),
  });
  return result.rowCount === 1;
}

function objectKeyOf(stored: ReadonlyMap<string, string>, file: PackageFile): string {
  const objectKey = stored.get(file.sha256);
  if (objectKey === undefined) throw new Error(`file ${file.path} of the package was not stored`);
  return objectKey;
}
