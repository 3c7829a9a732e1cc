import type { Database } from '../database.ts';
import { LOCATED_FILE } from './located-file.ts';
import type { LocatedFile } from './located-file.ts';
import { preparedStatement, runPrepared } from '../prepared-statement.ts';

/** Whose modules a person may see: those of the own vendors, and those offered in the tenants of the own farms. */
export interface MediaSight {
  readonly vendorIds: readonly string[];
  readonly tenantIds: readonly string[];
}

const IMAGE = preparedStatement(
  `select ${LOCATED_FILE}
   from module_files f
   join module_revisions r on r.module_id = f.module_id and r.revision = f.revision
   join modules m on m.id = f.module_id
   where f.sha256 = decode($1, 'hex')
     and (starts_with(f.path, 'ModuleLogo/') or starts_with(f.path, 'ModuleImage/'))
     and m.deleted_at is null and f.media_type = any($2)
     and (m.organization_id = any($3::uuid[])
       or (m.tenant_id = any($4::uuid[]) and f.revision = m.current_revision
           and starts_with(f.path, 'ModuleLogo/')))
   limit 1`,
);

/**
 * A logo or image by its content's SHA-256 (lower-case hex), of the media types; null where there is none that
 * may be seen. Vendors see every revision, farmers the logos of the current one.
 */
export async function findVisibleImage(
  database: Database,
  sha256: string,
  mediaTypes: readonly string[],
  { vendorIds, tenantIds }: MediaSight,
): Promise<LocatedFile | null> {
  const values = [sha256, [...mediaTypes], [...vendorIds], [...tenantIds]];
  const rows = await runPrepared<LocatedFile>(database, IMAGE, values);
  return rows[0] ?? null;
}
