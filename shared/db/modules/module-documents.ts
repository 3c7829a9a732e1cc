import type { Descriptor } from '../../package/descriptor/descriptor.ts';
import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import type { Database } from '../database.ts';
import type { ModuleKey } from './models.ts';
import { onlyRow } from '../statement.ts';

/** The files in a folder of revision `r` as `ModuleDocument`s, as an SQL expression. */
export function documentsIn(folder: 'ModuleToS' | 'ModulePrivacy'): string {
  return `
    (select coalesce(jsonb_agg(jsonb_build_object('path', f.path, 'sha256', encode(f.sha256, 'hex'),
        'mediaType', f.media_type, 'countryId', n -> 'countryId', 'languageId', n -> 'languageId')
        order by f.path, n ->> 'countryId', n ->> 'languageId'), '[]')
     from module_files f
       left join jsonb_array_elements(r.descriptor -> 'moduleFiles') n on n ->> 'file' = f.path
     where f.module_id = r.module_id and f.revision = r.revision and starts_with(f.path, '${folder}/'))`;
}

export interface InstallationNeeds {
  readonly terms: readonly ModuleDocument[];
  readonly privacy: readonly ModuleDocument[];
  readonly subscriptionOptions: Descriptor['subscriptionOptions'];
  /** The modules that it depends on and that the organization does not have installed. */
  readonly missing: readonly string[];
  readonly countryCode: string | null;
}

/** Reads what a revision needs from an organization that installs it. */
export async function findInstallationNeeds(
  transaction: Database,
  { organizationId, moduleId }: ModuleKey,
  revision: number,
): Promise<InstallationNeeds> {
  return onlyRow<InstallationNeeds>(
    transaction,
    `select ${documentsIn('ModuleToS')} as terms, ${documentsIn('ModulePrivacy')} as privacy, o.country_code,
       r.descriptor -> 'subscriptionOptions' as subscription_options,
       array(select id from jsonb_array_elements_text(r.descriptor -> 'dependencies') needed (id)
             where not exists (
               select from installations i where i.organization_id = o.id and i.module_id = id::uuid)
       ) as missing
     from module_revisions r, organizations o
     where r.module_id = :moduleId and r.revision = :revision and o.id = :organizationId`,
    { organizationId, moduleId, revision },
  );
}
