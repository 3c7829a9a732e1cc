import type { Database } from '../database.ts';
import type { ModuleKey } from '../modules/models.ts';
import { visibleRevision } from '../modules/visible-revision.ts';
import { queryRow } from '../statement.ts';

/** What a module has now. */
export interface ModuleFigures {
  /** Keys that are neither revoked nor expired. */
  readonly activeKeys: number;
  /** The newest revision comes first. */
  readonly installations: readonly { readonly revision: number; readonly organizations: number }[];
}

const READ = `
  select
    (select count(*) from api_keys k
     where k.organization_id = m.organization_id and k.module_id = m.id and k.revoked_at is null and k.expires_at > now()
    ) as active_keys,
    (select coalesce(jsonb_agg(jsonb_build_object('revision', revision, 'organizations', organizations)
       order by revision desc), '[]')
     from (
       select ${visibleRevision('m', 'i.organization_id')} as revision, count(*) as organizations
       from installations i where i.module_id = m.id group by revision
     ) as installed
     where revision is not null
    ) as installations
  from modules m
  where m.id = :moduleId and m.organization_id = :organizationId and m.deleted_at is null`;

/** The active keys of a module and its installations by the revision that they see; null: there is no such module. */
export async function readModuleFigures(
  database: Database,
  { organizationId, moduleId }: ModuleKey,
): Promise<ModuleFigures | null> {
  return queryRow<ModuleFigures>(database, READ, { organizationId, moduleId });
}
