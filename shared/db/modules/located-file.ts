import type { PackageFile } from '../../package/package-report.ts';
import { isSuspended } from '../access/suspension-state.ts';
import type { Database } from '../database.ts';
import { isQuarantined } from './quarantine-state.ts';
import { visibleRevision } from './visible-revision.ts';
import { preparedStatement, queryRow } from '../statement.ts';

export type RevisionFile = Pick<PackageFile, 'path' | 'sizeBytes' | 'mediaType' | 'sha256'>;

/** A file, and the archive that contains it. */
export interface LocatedFile extends PackageFile {
  readonly archiveKey: string;
}

/** The columns of a file `f` of revision `r` as a `LocatedFile`. */
export const LOCATED_FILE = `
  f.path, f.media_type, f.size_bytes, encode(f.sha256, 'hex') as sha256, f.crc32, f.method, f.data_offset,
  f.packed_bytes, f.packed_crc32, r.archive_key`;

/** The modules that a person may see: those of their vendors, and those that their farms see. */
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
     and not ${isQuarantined('m')}
     and (m.organization_id = any(:vendorIds::uuid[]) and not ${isSuspended('m.organization_id')}
       or exists (
         select from organizations o
         where o.id = any(:farmerIds::uuid[]) and not ${isSuspended('o.id')} and o.tenant_id = m.tenant_id and f.revision = ${visibleRevision('m', 'o.id')}))
   limit 1`,
);

/**
 * A logo, image, terms or privacy file by its content's SHA-256 (lower-case hex); null where there is none that may be
 * seen. Vendors see every revision, farmers the one that they see; those that are suspended see nothing.
 */
export async function findVisibleMedia(database: Database, sha256: string, sight: MediaSight) {
  return queryRow<LocatedFile>(database, MEDIA, { sha256, ...sight });
}
