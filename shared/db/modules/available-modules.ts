import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { Translation } from '../../package/descriptor/descriptor.ts';
import type { Database } from '../database.ts';
import { keysetPage } from '../keyset-page.ts';
import type { Page, PageRequest } from '../keyset-page.ts';
import { ModuleModel } from '../models.ts';
import { LOCATED_FILE } from './located-file.ts';
import type { LocatedFile, RevisionFile } from './located-file.ts';
import { preparedStatement, runPrepared } from '../prepared-statement.ts';

/** A logo as farmers see it. */
export type ModuleLogo = Pick<RevisionFile, 'path' | 'mediaType' | 'sha256'>;

/** The members of a translation in a list: the texts of one module alone may be megabytes. */
export type TranslatedName = Pick<Translation, 'languageId' | 'moduleName' | 'shortName'>;

interface Offer<Translated> {
  readonly translations: readonly Translated[];
  readonly logos: readonly ModuleLogo[];
  readonly dataAreaIds: readonly string[];
}

/** A module on offer as a list shows it. */
export type AvailableModuleSummary = ModuleModel & Offer<TranslatedName>;

/** A module on offer, whole. */
export interface AvailableModule extends Offer<Translation> {
  readonly id: string;
  readonly currentRevision: number;
  readonly alertRules: AlertRules | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The logos of revision `r`, as a column. */
export const LOGOS = `
  (select coalesce(jsonb_agg(jsonb_build_object('path', f.path, 'mediaType', f.media_type,
      'sha256', encode(f.sha256, 'hex')) order by f.path), '[]')
   from module_files f
   where f.module_id = r.module_id and f.revision = r.revision and starts_with(f.path, 'ModuleLogo/')) as logos`;

/** The names of revision `r` in its languages, as a column. */
export const TRANSLATED_NAMES = `
  (select coalesce(jsonb_agg(jsonb_build_object('languageId', t -> 'languageId', 'moduleName', t -> 'moduleName',
      'shortName', t -> 'shortName') order by t ->> 'languageId'), '[]')
   from jsonb_array_elements(r.descriptor -> 'translations') t) as translations`;

/** The modules that a tenant offers its farmers, newest first. */
export async function listAvailableModules(
  database: Database,
  tenantId: string,
  page: PageRequest,
): Promise<Page<AvailableModuleSummary>> {
  const offers = database.raw(
    `(select ${TRANSLATED_NAMES}, ${LOGOS}, r.descriptor -> 'dataAreaIds' as data_area_ids
      from module_revisions r where r.module_id = modules.id and r.revision = modules.current_revision) as offer`,
  );
  const query = ModuleModel.query(database)
    .select('modules.*', 'offer.*')
    .joinRaw('cross join lateral ?', [offers])
    .where({ tenantId })
    .whereNull('deletedAt');
  const { rows, next } = await keysetPage(query, page);
  return { rows: rows as AvailableModuleSummary[], next };
}

/** A module that the tenant offers; null where there is none. */
export async function findAvailableModule(
  database: Database,
  tenantId: string,
  moduleId: string,
): Promise<AvailableModule | null> {
  const result = await database.raw<{ rows: AvailableModule[] }>(
    `select m.id, m.current_revision, m.created_at, m.updated_at, r.descriptor -> 'translations' as translations,
       r.descriptor -> 'dataAreaIds' as data_area_ids, r.alert_rules, ${LOGOS}
     from modules m join module_revisions r on r.module_id = m.id and r.revision = m.current_revision
     where m.id = :moduleId and m.tenant_id = :tenantId and m.deleted_at is null`,
    { moduleId, tenantId },
  );
  return result.rows[0] ?? null;
}

const LOGO = preparedStatement(
  `select ${LOCATED_FILE}
   from modules m
   join module_revisions r on r.module_id = m.id and r.revision = m.current_revision
   join module_files f on f.module_id = r.module_id and f.revision = r.revision
   where m.id = $1 and m.tenant_id = $2 and m.deleted_at is null
     and starts_with(f.path, 'ModuleLogo/') and ($3::text is null or f.path = $3)
   order by f.path limit 1`,
);

/** A logo of a module that the tenant offers, by its path, or the first one; null where there is none. */
export async function findLogo(
  database: Database,
  tenantId: string,
  moduleId: string,
  path: string | null,
): Promise<LocatedFile | null> {
  const rows = await runPrepared<LocatedFile>(database, LOGO, [moduleId, tenantId, path]);
  return rows[0] ?? null;
}
