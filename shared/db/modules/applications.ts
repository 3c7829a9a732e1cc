import type { Database } from '../database.ts';
import { preparedStatement, queryRow, queryRows } from '../statement.ts';
import { LOCATED_FILE, type LocatedFile } from './located-file.ts';
import { isQuarantined, quarantineReason } from './quarantine-state.ts';
import { visibleRevision } from './visible-revision.ts';

/** The public facts about a module whose application is served. */
export interface ServedModule {
  readonly organizationId: string;
  /** Why the module is in quarantine; null: it is not. */
  readonly quarantineReason: string | null;
}

export type ApplicationFile = LocatedFile & ServedModule;

const SERVED = `m.organization_id, ${quarantineReason('m')} as quarantine_reason`;

/** A staged revision is served to everyone once one organization previews it: its browsers send no credential. */
const FILE = preparedStatement(
  `select ${LOCATED_FILE}, ${SERVED}
   from modules m
   join module_revisions r on r.module_id = m.id and r.revision = :revision
   join module_files f on f.module_id = r.module_id and f.revision = r.revision
   where m.id = :moduleId and m.deleted_at is null and f.path = :path
     and (r.released_at is not null
       or exists (select from revision_previewers p where p.module_id = m.id and p.revision = r.revision))`,
);

/** A file of a revision that is released or previewed, by its path in the package; null where there is none. */
export async function findApplicationFile(
  database: Database,
  moduleId: string,
  revision: number,
  path: string,
): Promise<ApplicationFile | null> {
  return queryRow<ApplicationFile>(database, FILE, { moduleId, revision, path });
}

export type ReleasedModule = ServedModule & { readonly revision: number };

const RELEASED = preparedStatement(
  `select m.current_revision as revision, ${SERVED}
   from modules m where m.id = :moduleId and m.deleted_at is null and m.current_revision is not null`,
);

/** The revision of a module that is released to everyone; null where there is none. */
export async function findReleasedModule(database: Database, moduleId: string) {
  return queryRow<ReleasedModule>(database, RELEASED, { moduleId });
}

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
     where m.id = any(:moduleIds::uuid[]) and m.deleted_at is null and not ${isQuarantined('m')}`,
    { organizationId, moduleIds },
  );
}

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
