import type { Database } from '../database.ts';
import { LOCATED_FILE, type LocatedFile } from './located-file.ts';
import { visibleRevision } from './visible-revision.ts';
import { preparedStatement, queryRow } from '../statement.ts';

/** Whose modules a person may see: those of the own vendors, and those that the own farms see. */
export interface MediaSight {
  readonly vendorIds: readonly string[];
  readonly farmerIds: readonly string[];
}

const FOLDERS = "('ModuleLogo', 'ModuleImage', 'ModuleToS', 'ModulePrivacy')";

const MEDIA = preparedStatement(
  `select ${LOCATED_FILE}
   from module_files f
   join module_revisions r on r.module_id = f.module_id and r.revision = f.revision
   join modules m on m.id = f.module_id
   where f.sha256 = decode(:sha256, 'hex') and split_part(f.path, '/', 1) in ${FOLDERS} and m.deleted_at is null
     and m.quarantined_at is null
     and (m.organization_id = any(:vendorIds::uuid[])
       or exists (
         select from organizations o
         where o.id = any(:farmerIds::uuid[]) and o.tenant_id = m.tenant_id and f.revision = ${visibleRevision('m', 'o.id')}))
   limit 1`,
);

/**
 * A logo, image, terms or privacy file by its content's SHA-256 (lower-case hex); null where there is none that may be
 * seen. Vendors see every revision, farmers the one that they see.
 */
export async function findVisibleMedia(
  database: Database,
  sha256: string,
  sight: MediaSight,
): Promise<LocatedFile | null> {
  return queryRow<LocatedFile>(database, MEDIA, { sha256, ...sight });
}
