import type { Database } from './database.ts';

/** An organization that has opened a data area to a module, and the state of its structures. */
export interface Opening {
  readonly organizationId: string;
  readonly organizationName: string;
  /** Counts the changes of its structures; 0 before the first. */
  readonly version: number;
  readonly structures: number;
  readonly bytes: number;
}

/** Which organizations of those that opened a data area to a module. */
export interface OpeningFilter {
  readonly moduleId: string;
  readonly dataAreaId: string;
  readonly organizationId: string | null;
  /** Those after this ID. */
  readonly after: string | null;
  readonly limit: number | null;
}

/*
 * What a module sees of an organization: what its current revision declares and the installation
 * accepted, both. Every read of a module's back end stands on this.
 */
const DECLARES = `
  exists (
    select 1 from modules m join module_revisions r on r.module_id = m.id and r.revision = m.current_revision
    where m.id = :moduleId and m.deleted_at is null and jsonb_exists(r.descriptor -> 'dataAreaIds', :dataAreaId)
  )`;

/** Whether the module's current revision declares the data area. */
export async function declaresDataArea(
  database: Database,
  moduleId: string,
  dataAreaId: string,
): Promise<boolean> {
  const result = await database.raw<{ rows: { declares: boolean }[] }>(`select ${DECLARES} as declares`, {
    moduleId,
    dataAreaId,
  });
  return result.rows[0]?.declares === true;
}

/** The organizations that have opened the data area to the module, by ID; null when the module does not declare it. */
export async function listOpenings(
  database: Database,
  { moduleId, dataAreaId, organizationId, after, limit }: OpeningFilter,
): Promise<readonly Opening[] | null> {
  const result = await database.raw<{ rows: (Opening | { organizationId: null })[] }>(
    `select found.* from (select ${DECLARES} as declares) declared left join lateral (
       select i.organization_id, o.name as organization_name, coalesce(s.version, 0) as version,
         coalesce(s.structures, 0) as structures, coalesce(s.bytes, 0) as bytes
       from installations i join organizations o on o.id = i.organization_id
       left join structure_sets s on s.organization_id = i.organization_id
       where i.module_id = :moduleId and :dataAreaId::uuid = any(i.accepted_data_area_ids)
         and (:organizationId::uuid is null or i.organization_id = :organizationId)
         and (:after::uuid is null or i.organization_id > :after)
       order by i.organization_id limit :limit
     ) found on true
     where declared.declares`,
    { moduleId, dataAreaId, organizationId, after, limit },
  );
  if (result.rows.length === 0) return null;
  return result.rows.filter((row): row is Opening => row.organizationId !== null);
}

/** The state of a farmer organization's own structures, in the form of an opening; a list of one. */
export async function findOwnStructures(
  database: Database,
  organizationId: string,
): Promise<readonly Opening[]> {
  const result = await database.raw<{ rows: Opening[] }>(
    `select o.id as organization_id, o.name as organization_name, coalesce(s.version, 0) as version,
       coalesce(s.structures, 0) as structures, coalesce(s.bytes, 0) as bytes
     from organizations o left join structure_sets s on s.organization_id = o.id where o.id = ?`,
    [organizationId],
  );
  return result.rows;
}
