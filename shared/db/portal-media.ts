import type { Database } from './database.ts';
import { LOCATED_FILE } from './located-file.ts';
import type { LocatedFile } from './located-file.ts';

/** Whose modules somebody may see: a vendor's own, and what the tenants of the own farms are offered. */
export interface MediaSight {
  readonly vendorIds: readonly string[];
  readonly tenantIds: readonly string[];
}

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
  const result = await database.raw<{ rows: LocatedFile[] }>(
    `select ${LOCATED_FILE}
     from module_files f
     join module_revisions r on r.module_id = f.module_id and r.revision = f.revision
     join modules m on m.id = f.module_id
     where f.sha256 = decode(:sha256, 'hex')
       and (starts_with(f.path, 'ModuleLogo/') or starts_with(f.path, 'ModuleImage/'))
       and m.deleted_at is null and f.media_type = any(:mediaTypes)
       and (m.organization_id = any(:vendorIds::uuid[])
         or (m.tenant_id = any(:tenantIds::uuid[]) and f.revision = m.current_revision
             and starts_with(f.path, 'ModuleLogo/')))
     limit 1`,
    { sha256, mediaTypes: [...mediaTypes], vendorIds: [...vendorIds], tenantIds: [...tenantIds] },
  );
  return result.rows[0] ?? null;
}
