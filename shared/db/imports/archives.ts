import type { StoredObject } from '../../storage/storage.ts';
import type { Database } from '../database.ts';
import { scopeOf } from '../modules/scopes.ts';
import { visibleRevision } from '../modules/visible-revision.ts';
import { queryRows } from '../statement.ts';

/** Every archive's storage key starts with this, and then with its deployment. */
export const ARCHIVES = 'packages/';

const GUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const ARCHIVE_KEY = new RegExp(`^${ARCHIVES}${GUID}/(?<importId>${GUID})$`);

/** The prefix of a deployment's archives. Only these may be removed: another deployment may use the same storage. */
export function archivesOf(deploymentId: string): string {
  return `${ARCHIVES}${deploymentId}/`;
}

/** The storage key of the archive that an import uploads. */
export function archiveKeyOf(deploymentId: string, importId: string): string {
  return `${archivesOf(deploymentId)}${importId}`;
}

/** Those of these storage keys that an import or a revision, even a deleted one, has, or that are not an archive's. */
export async function findKnownArchives(
  database: Database,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const importIds = keys.map((key) => ARCHIVE_KEY.exec(key)?.groups?.['importId'] ?? null);
  // Each key is looked up by itself: as a set, the planner may choose to read all rows of both tables.
  const rows = await queryRows<{ key: string }>(
    database,
    `select wanted.key from unnest(:keys::text[], :importIds::uuid[]) as wanted (key, import_id)
     left join lateral (select true as is_known from module_revisions r where r.archive_key = wanted.key limit 1) r on true
     left join lateral (
       select true as is_known from imports i where i.id = wanted.import_id and i.archive_key = wanted.key limit 1
     ) i on true
     left join freed_archives f on f.archive_key = wanted.key
     where wanted.import_id is null or r.is_known or i.is_known or f.archive_key is not null`,
    { keys: [...keys], importIds },
  );
  return new Set(rows.map(({ key }) => key));
}

/** A revision whose archive is lost, or has another length. */
export interface LostArchive {
  readonly archiveKey: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly moduleId: string;
  /** The module's name; null: it has none, or was deleted. */
  readonly scope: string | null;
  readonly revision: number;
  readonly isModuleDeleted: boolean;
  /** The number of organizations that have the module installed and see this revision. */
  readonly installations: number;
}

/** How the archives in the database differ from the stored objects. */
export interface ArchiveDifferences {
  /** The revisions that nobody can read. */
  readonly missing: readonly LostArchive[];
  /** Imports whose archive is lost: they cannot be retried. */
  readonly forgotten: number;
  /** Objects that nothing points to: collection removes them. */
  readonly strays: number;
}

const LOST_ARCHIVES = `
  select r.archive_key, r.organization_id, o.name as organization_name, r.module_id, ${scopeOf('m')} as scope, r.revision,
    m.deleted_at is not null as is_module_deleted,
    (select count(*) from installations i
     where i.module_id = r.module_id and ${visibleRevision('m', 'i.organization_id')} = r.revision) as installations
  from module_revisions r join modules m on m.id = r.module_id join organizations o on o.id = r.organization_id
  where not exists (
    select 1 from found_archives f where f.archive_key = r.archive_key and f.size_bytes = r.archive_bytes)
  order by r.organization_id, r.module_id, r.revision`;

/**
 * Makes the rows agree with the stored archives. For a database and a storage that no process of the service
 * uses, such as after a restore.
 */
export async function reconcileArchives(
  database: Database,
  found: AsyncIterable<readonly Pick<StoredObject, 'key' | 'sizeBytes'>[]>,
): Promise<ArchiveDifferences> {
  return database.transaction(async (transaction) => {
    await transaction.raw(
      'create temporary table found_archives (archive_key text primary key, size_bytes bigint) on commit drop',
    );
    for await (const objects of found) {
      const [keys, sizes] = [objects.map(({ key }) => key), objects.map(({ sizeBytes }) => sizeBytes)];
      const insert = 'insert into found_archives select * from unnest(:keys::text[], :sizes::bigint[])';
      await transaction.raw(insert, { keys, sizes });
    }
    const missing = await queryRows<LostArchive>(transaction, LOST_ARCHIVES);
    const forgotten = await transaction.raw<{ rowCount: number }>(
      `update imports i set archive_key = null where archive_key is not null and not exists (
         select 1 from found_archives f where f.archive_key = i.archive_key and f.size_bytes = i.size_bytes)`,
    );
    const strays = await transaction.raw<{ rows: { strays: number }[] }>(
      `select count(*) as strays from found_archives f
       where not exists (select 1 from stored_archives s where s.archive_key = f.archive_key)`,
    );
    return {
      missing,
      forgotten: forgotten.rowCount,
      strays: strays.rows[0]?.strays ?? 0,
    };
  });
}
