import type { Database } from '../database.ts';
import type { OrganizationKind } from '../access/models.ts';
import { onlyRow, preparedStatement, queryRow, queryRows } from '../statement.ts';

const STORED = preparedStatement(`
  select (select coalesce(sum(archive_bytes), 0) from module_revisions where organization_id = :organizationId::uuid)::bigint
    + (select coalesce(sum(size_bytes), 0) from imports
       where organization_id = :organizationId::uuid and archive_key is not null and not validate_only)::bigint as bytes`);

/** The bytes that an organization stores: those of its revisions, deleted modules included, and of kept uploads. */
export async function countStoredBytes(database: Database, organizationId: string): Promise<number> {
  return (await onlyRow<{ bytes: number }>(database, STORED, { organizationId })).bytes;
}

export interface Usage {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly kind: OrganizationKind;
  readonly modules: number;
  readonly revisions: number;
  /** All of the following. */
  readonly storedBytes: number;
  readonly revisionBytes: number;
  /** For deleted modules, until their retention ends. */
  readonly deletedModuleBytes: number;
  /** Uploads that wait or run, and those of ended imports until their time is over. */
  readonly uploadBytes: number;
  readonly importsLastDay: number;
}

/** The columns of each organization of `shown`. */
const detailed = (shown: string) => `
  with shown as (${shown})
  select shown.id as organization_id, shown.name as organization_name, shown.kind, revised.*, uploaded.*,
    revision_bytes + deleted_module_bytes + upload_bytes as stored_bytes,
    (select count(*) from modules m where m.organization_id = shown.id and m.deleted_at is null) as modules,
    (select count(*) from imports i where i.organization_id = shown.id and i.created_at > now() - interval '1 day')
      as imports_last_day
  from shown cross join lateral (
    select count(*) filter (where m.deleted_at is null) as revisions,
      coalesce(sum(r.archive_bytes) filter (where m.deleted_at is null), 0)::bigint as revision_bytes,
      coalesce(sum(r.archive_bytes) filter (where m.deleted_at is not null), 0)::bigint as deleted_module_bytes
    from module_revisions r join modules m on m.id = r.module_id where r.organization_id = shown.id
  ) as revised cross join lateral (
    select coalesce(sum(i.size_bytes), 0)::bigint as upload_bytes from imports i
    where i.organization_id = shown.id and i.archive_key is not null and not i.validate_only
  ) as uploaded`;

const ONE = detailed('select id, name, kind from organizations where id = :organizationId');

export async function readUsage(database: Database, organizationId: string): Promise<Usage | null> {
  return queryRow<Usage>(database, ONE, { organizationId });
}

export interface UsageCursor {
  readonly storedBytes: number;
  readonly organizationId: string;
}

const PAGE = `${detailed(`
  select o.id, o.name, o.kind, coalesce(stored.bytes, 0) as bytes from organizations o left join (
    select organization_id, sum(bytes)::bigint as bytes from (
      select organization_id, archive_bytes as bytes from module_revisions
      union all
      select organization_id, size_bytes from imports where archive_key is not null and not validate_only
    ) as archives group by organization_id
  ) as stored on stored.organization_id = o.id
  where (o.deleted_at is null or stored.bytes > 0)
    and (:bytes::bigint is null or (coalesce(stored.bytes, 0), o.id) < (:bytes, :id::uuid))
  order by bytes desc, id desc limit :limit`)}
  order by stored_bytes desc, shown.id desc`;

/** What organizations keep, most bytes first. */
export async function listUsage(database: Database, limit: number, after: UsageCursor | null) {
  const values = { limit, bytes: after?.storedBytes ?? null, id: after?.organizationId ?? null };
  return queryRows<Usage>(database, PAGE, values);
}
