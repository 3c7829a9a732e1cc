import type { Database } from '../database.ts';
import type { OrganizationKind } from '../access/models.ts';
import { onlyRow, preparedStatement, queryRow, queryRows } from '../statement.ts';

const STORED = preparedStatement(`
  select coalesce(sum(bytes), 0)::bigint as bytes from stored_archives where organization_id = :organizationId::uuid`);

/** The bytes of all objects that an organization has in storage, also of those that are about to be removed. */
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
  /** For deleted modules and revisions, until their objects are removed. */
  readonly deletedModuleBytes: number;
  /** Uploads that wait or run, and those of ended imports until their time is over. */
  readonly uploadBytes: number;
  readonly importsLastDay: number;
}

/** The columns of each organization of `shown`. */
const detailed = (shown: string) => `
  with shown as (${shown})
  select shown.id as organization_id, shown.name as organization_name, shown.kind, stored.*,
    (select count(*) from modules m where m.organization_id = shown.id and m.deleted_at is null) as modules,
    (select count(*) from imports i where i.organization_id = shown.id and i.created_at > now() - interval '1 day')
      as imports_last_day
  from shown cross join lateral (
    select count(*) filter (where is_current) as revisions, coalesce(sum(bytes), 0)::bigint as stored_bytes,
      coalesce(sum(bytes) filter (where is_current), 0)::bigint as revision_bytes,
      coalesce(sum(bytes) filter (where not is_current and a.kind <> 'upload'), 0)::bigint as deleted_module_bytes,
      coalesce(sum(bytes) filter (where a.kind = 'upload'), 0)::bigint as upload_bytes
    from stored_archives a left join modules m on m.id = a.module_id,
      lateral (select a.kind = 'revision' and m.deleted_at is null as is_current) as state
    where a.organization_id = shown.id
  ) as stored`;

const ONE = detailed('select id, name, kind from organizations where id = :organizationId');

export async function readUsage(database: Database, organizationId: string): Promise<Usage | null> {
  return queryRow<Usage>(database, ONE, { organizationId });
}

export type UsageCursor = Pick<Usage, 'storedBytes' | 'organizationId'>;

const PAGE = `${detailed(`
  select o.id, o.name, o.kind, coalesce(stored.bytes, 0) as bytes from organizations o left join (
    select organization_id, sum(bytes)::bigint as bytes from stored_archives group by organization_id
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
