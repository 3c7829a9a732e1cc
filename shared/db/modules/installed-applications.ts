import type { Database } from '../database.ts';
import { visibleRevision } from './visible-revision.ts';
import { queryRows } from '../statement.ts';

/** How a host loads the application of a module. */
export interface InstalledApplication {
  readonly moduleId: string;
  /** The one that the organization sees. */
  readonly revision: number;
  readonly entryFileUrl: string | null;
  readonly scope: string | null;
  readonly component: string | null;
  readonly federationTypeId: string | null;
}

/** The applications of modules as an organization sees them; without those of modules in quarantine. */
export async function findInstalledApplications(
  database: Database,
  organizationId: string,
  moduleIds: readonly string[],
): Promise<readonly InstalledApplication[]> {
  return queryRows<InstalledApplication>(
    database,
    `select m.id as module_id, r.revision, r.descriptor ->> 'entryFileUrl' as entry_file_url,
       r.descriptor ->> 'scope' as scope, r.descriptor ->> 'component' as component,
       r.descriptor ->> 'federationTypeId' as federation_type_id
     from modules m
     join module_revisions r on r.module_id = m.id and r.revision = ${visibleRevision('m', ':organizationId::uuid')}
     where m.id = any(:moduleIds::uuid[]) and m.deleted_at is null and m.quarantined_at is null`,
    { organizationId, moduleIds },
  );
}

/** A file by its revision and path. */
export interface FileKey {
  readonly moduleId: string;
  readonly revision: number;
  readonly path: string;
}

/** The SHA-256 of each file in hexadecimal digits; null where it does not exist. */
export async function findFileHashes(
  database: Database,
  keys: readonly FileKey[],
): Promise<readonly (string | null)[]> {
  const rows = await queryRows<{ sha256: string | null }>(
    database,
    `select encode(f.sha256, 'hex') as sha256
     from unnest(:moduleIds::uuid[], :revisions::int[], :paths::text[])
       with ordinality k (module_id, revision, path, position)
     left join module_files f using (module_id, revision, path)
     order by k.position`,
    {
      moduleIds: keys.map(({ moduleId }) => moduleId),
      revisions: keys.map(({ revision }) => revision),
      paths: keys.map(({ path }) => path),
    },
  );
  return rows.map(({ sha256 }) => sha256);
}
