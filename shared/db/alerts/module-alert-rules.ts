import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { AlertRuleModel } from './models.ts';
import { isRuleBehind } from '../modules/recheck-dependents.ts';
import { visibleRevisions } from '../modules/visible-revision.ts';
import { preparedStatement, queryRow } from '../statement.ts';
import { declaringModule, isDeclaredTo } from '../access/module-grants.ts';

/** The revision whose definitions are a module's, and the SHA-256 of its archive in hexadecimal digits. */
export interface DefiningRevision {
  readonly revision: number;
  readonly archiveSha256: string;
}

const defining = (columns: string) => `
  select r.revision, encode(r.archive_sha256, 'hex') as archive_sha256 ${columns} from modules m
  join module_revisions r on r.module_id = m.id
    and r.revision = coalesce(m.current_revision, (select max(v) from unnest(${visibleRevisions('m')}) as v))
  where m.id = :moduleId and m.deleted_at is null`;

/** The definitions of the current revision, or, before the first release, of the newest that anybody sees; null where there is none. */
export async function findModuleAlertRules(database: Database, moduleId: string) {
  type Found = DefiningRevision & { readonly alertRules: AlertRules | null };
  return queryRow<Found>(database, defining(', r.alert_rules'), { moduleId });
}

/** The same without the definitions. */
export async function findDefiningRevision(database: Database, moduleId: string) {
  return queryRow<DefiningRevision>(database, defining(''), { moduleId });
}

const RULES_STATE = preparedStatement(`
  select m.xmin::text as module, coalesce(
    (select c.id::text from changes c where c.module_id = m.id
       and c.type not in ('structures.changed', 'structures.erased', 'alert.acknowledged')
     order by c.position desc limit 1),
    -- Changes that are no longer kept may have been some of these.
    h.position::text) as change
  from modules m, change_horizon h where m.id = :moduleId::uuid`);

/**
 * The state of the rules that a module reads; another text after each change of rules, installations and visible
 * revisions. It covers changes that have positions, so it must be read before the rules.
 */
export async function findRulesState(database: Database, moduleId: string): Promise<string> {
  const row = await queryRow<{ module: string; change: string }>(database, RULES_STATE, { moduleId });
  return row === null ? '' : `${row.change}.${row.module}`;
}

/** A rule as its module's back end reads it. */
export class ModuleRuleModel extends AlertRuleModel {
  /** Whether it is still to be validated against what its farmer sees. */
  declare isBehind: boolean;
}

/** The rules that a module's back end reads; organization null: of all that it may see. */
export interface ModuleRulesFilter {
  readonly moduleId: string;
  readonly dataAreaId: string;
  readonly organizationId: string | null;
}

/**
 * The rules that farmers built from a module's definitions, newest first: those of organizations which see a revision
 * that declares the data area, and whose installation has accepted it.
 */
export async function listModuleRules(
  database: Database,
  { moduleId, dataAreaId, organizationId }: ModuleRulesFilter,
  page: PageRequest,
): Promise<Page<ModuleRuleModel>> {
  const query = ModuleRuleModel.query(database)
    .select('alert_rules.*', database.raw(`${isRuleBehind('alert_rules')} as is_behind`))
    .where({ moduleId })
    .whereRaw(
      `exists (select 1 from installations i, ${declaringModule(':moduleId::uuid', ':dataAreaId::text')} m
         where i.module_id = alert_rules.module_id and i.organization_id = alert_rules.organization_id
           and :dataAreaId::uuid = any(i.accepted_data_area_ids) and ${isDeclaredTo('m', 'i.organization_id')})`,
      { moduleId, dataAreaId },
    );
  if (organizationId !== null) void query.where({ organizationId });
  return keysetPage(query, page);
}
