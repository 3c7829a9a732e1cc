import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { Database } from '../database.ts';
import { keysetPage } from '../keyset-page.ts';
import type { Page, PageRequest } from '../keyset-page.ts';
import { AlertRuleModel } from '../models.ts';

/** A module's alert rule definitions as its current revision has them. */
export interface ModuleAlertRules {
  readonly revision: number;
  readonly alertRules: AlertRules | null;
}

/** The definitions of a module; null where there is none. */
export async function findModuleAlertRules(
  database: Database,
  moduleId: string,
): Promise<ModuleAlertRules | null> {
  const result = await database.raw<{ rows: ModuleAlertRules[] }>(
    `select r.revision, r.alert_rules from modules m
     join module_revisions r on r.module_id = m.id and r.revision = m.current_revision
     where m.id = ? and m.deleted_at is null`,
    [moduleId],
  );
  return result.rows[0] ?? null;
}

/** Whose rules a module's back end reads; organization null: of all that it may see. */
export interface ModuleRulesFilter {
  readonly moduleId: string;
  readonly dataAreaId: string;
  readonly organizationId: string | null;
}

/**
 * The rules that farmers built from a module's definitions, newest first: those of organizations whose
 * installation has accepted the data area.
 */
export async function listModuleRules(
  database: Database,
  { moduleId, dataAreaId, organizationId }: ModuleRulesFilter,
  page: PageRequest,
): Promise<Page<AlertRuleModel>> {
  const query = AlertRuleModel.query(database)
    .where({ moduleId })
    .whereRaw(
      `exists (select 1 from installations i where i.module_id = alert_rules.module_id
         and i.organization_id = alert_rules.organization_id and ?::uuid = any(i.accepted_data_area_ids))`,
      [dataAreaId],
    );
  if (organizationId !== null) void query.where({ organizationId });
  return keysetPage(query, page);
}
