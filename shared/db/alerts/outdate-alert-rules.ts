import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import { validateAlertRule } from '../../package/alert-rules/validate-alert-rule.ts';
import type { Database } from '../database.ts';
import type { AlertRuleModel } from '../models.ts';

/** Rules that are read and written at once: this bounds the memory of an import of a popular module. */
const BATCH = 1_000;
const MAX_REASONS = 20;

/** A revision that has just been written. */
export interface WrittenRevision {
  readonly moduleId: string;
  readonly revision: number;
  readonly alertRules: AlertRules | null;
}

type CheckedRule = Pick<AlertRuleModel, 'organizationId' | 'id' | 'criteria' | 'ruleValues'>;

/**
 * Validates every farmer's rule of a module again when its definition differs from the previous revision:
 * what no longer fits is kept as outdated, what fits (again) is active. To be called in the transaction
 * that locks the module's row, so that no rule is written meanwhile. `lastRevision` is 0 for a new module.
 */
export async function outdateAlertRules(
  transaction: Database,
  written: WrittenRevision,
  lastRevision: number,
): Promise<void> {
  // A new module has no rules: this saves most imports a round trip.
  if (lastRevision === 0 || !(await isDefinitionChanged(transaction, written, lastRevision))) return;
  let batch: readonly CheckedRule[] = [];
  do {
    batch = await rulesAfter(transaction, written.moduleId, batch.at(-1));
    if (batch.length > 0) await writeChecks(transaction, written, batch);
  } while (batch.length === BATCH);
}

/** The database compares them as values: the order of members does not matter. */
async function isDefinitionChanged(
  transaction: Database,
  { moduleId, revision }: WrittenRevision,
  lastRevision: number,
): Promise<boolean> {
  const result = await transaction.raw<{ rows: { isChanged: boolean }[] }>(
    `select next.alert_rules::jsonb is distinct from last.alert_rules::jsonb as is_changed
     from module_revisions next join module_revisions last on last.module_id = next.module_id
     where next.module_id = :moduleId and next.revision = :revision and last.revision = :lastRevision`,
    { moduleId, revision, lastRevision },
  );
  // The revisions of a module that was deleted long ago are gone: what its rules were written for is unknown.
  return result.rows[0]?.isChanged ?? true;
}

/** The next rules in the order of the index, locked in that order. */
async function rulesAfter(
  transaction: Database,
  moduleId: string,
  last: CheckedRule | undefined,
): Promise<readonly CheckedRule[]> {
  const result = await transaction.raw<{ rows: CheckedRule[] }>(
    `select organization_id, id, criteria, rule_values from alert_rules
     where module_id = :moduleId
       and (:id::uuid is null or (organization_id, id) > (:organizationId::uuid, :id::uuid))
     order by organization_id, id limit :limit for no key update`,
    { moduleId, organizationId: last?.organizationId ?? null, id: last?.id ?? null, limit: BATCH },
  );
  return result.rows;
}

async function writeChecks(
  transaction: Database,
  { moduleId, revision, alertRules }: WrittenRevision,
  batch: readonly CheckedRule[],
): Promise<void> {
  const reasons = batch.map(({ criteria, ruleValues }) => {
    const issues = validateAlertRule(alertRules, criteria, ruleValues);
    return JSON.stringify(issues.slice(0, MAX_REASONS).map(({ detail }) => detail));
  });
  await transaction.raw(
    `update alert_rules set definition_revision = :revision, outdated_reasons = checked.reasons::jsonb,
       status = case when checked.reasons = '[]' then 'active' else 'outdated' end, updated_at = now()
     from unnest(:organizationIds::uuid[], :ids::uuid[], :reasons::text[]) as checked (organization_id, id, reasons)
     where alert_rules.id = checked.id and alert_rules.organization_id = checked.organization_id
       and alert_rules.module_id = :moduleId`,
    {
      moduleId,
      revision,
      organizationIds: batch.map(({ organizationId }) => organizationId),
      ids: batch.map(({ id }) => id),
      reasons,
    },
  );
}
