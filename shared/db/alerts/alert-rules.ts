import { randomUUID } from 'node:crypto';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import { recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { isRuleBehind } from '../modules/recheck-dependents.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import type { InstallationKey } from '../access/installations.ts';
import { AlertRuleModel } from './models.ts';
import { requireRoom, type AddingActor } from '../quota.ts';

export interface AlertRuleKey {
  readonly organizationId: string;
  readonly ruleId: string;
}

/** What a farmer sets of a rule, and what it takes from the definitions that it fits. */
export type AlertRuleWrite = Pick<
  AlertRuleModel,
  | 'criteria'
  | 'ruleValues'
  | 'name'
  | 'enabled'
  | 'definitionRevision'
  | 'definitionVersion'
  | 'expectedIntervalHours'
>;

/** A rule as its farmer reads it. */
export class FarmerRuleModel extends AlertRuleModel {
  /** When the interval of a missing report began; null: the module is in time. */
  declare noReportSince: Date | null;
  /** Whether it is still to be validated against what its farmer sees. */
  declare isBehind: boolean;
}

/** Whoever enables or changes a rule waits for its first report from then on. */
const WAITING_SINCE = 'greatest(reported_at, updated_at)';
/** A module that was installed again has as much time as before its first report. */
const IS_OVERDUE = `(enabled and status = 'active'
  and ${WAITING_SINCE} + make_interval(hours => expected_interval_hours) < now()
  and exists (
    select from installations i
    where i.organization_id = alert_rules.organization_id and i.module_id = alert_rules.module_id
      and i.created_at + make_interval(hours => expected_interval_hours) < now()))`;

function columns(database: Database) {
  return [
    'alert_rules.*',
    database.raw(`case when ${IS_OVERDUE} then ${WAITING_SINCE} end as no_report_since`),
    database.raw(`${isRuleBehind('alert_rules')} as is_behind`),
  ];
}

/** The filter of an organization's rules. */
export interface AlertRuleFilter {
  /** Null: of all modules. */
  readonly moduleId: string | null;
  /** Null: overdue or not. */
  readonly isOverdue: boolean | null;
}

export async function listAlertRules(
  database: Database,
  organizationId: string,
  { moduleId, isOverdue }: AlertRuleFilter,
  page: PageRequest,
): Promise<Page<FarmerRuleModel>> {
  const query = FarmerRuleModel.query(database)
    .select(columns(database))
    .where({ organizationId, ...(moduleId !== null && { moduleId }) });
  // Not "= false": it is null for a rule without an interval.
  // Nor is it known before a rule is validated: the caller reads again then.
  if (isOverdue !== null)
    void query.whereRaw(
      `(${IS_OVERDUE} is ${isOverdue ? '' : 'not '}true or ${isRuleBehind('alert_rules')})`,
    );
  return keysetPage(query, page);
}

/** A rule; null where the organization has no such rule. */
export async function findAlertRule(database: Database, { organizationId, ruleId }: AlertRuleKey) {
  const query = FarmerRuleModel.query(database).select(columns(database));
  return (await query.findById(ruleId).where({ organizationId })) ?? null;
}

const FITTING = { status: 'active' as const, outdatedReasons: [] };

/** Writes a new rule, while its organization is locked. @throws QuotaExceededError */
export async function insertAlertRule(
  transaction: Database,
  { organizationId, moduleId }: InstallationKey,
  rule: AlertRuleWrite,
  actor: AddingActor,
): Promise<FarmerRuleModel> {
  const what = 'alert rules in the organization';
  await requireRoom(transaction, 'alert_rules', { organizationId }, actor.max, what);
  const by = { createdBy: actor.subject, updatedBy: actor.subject };
  const created = await FarmerRuleModel.query(transaction)
    .insert({ id: randomUUID(), organizationId, moduleId, ...rule, ...FITTING, ...by })
    .returning(columns(transaction));
  await recordRule(transaction, actor, 'rule.created', created);
  return created;
}

/** Writes a rule anew; null where another request has deleted it. */
export async function changeAlertRule(
  transaction: Database,
  { organizationId, ruleId }: AlertRuleKey,
  rule: AlertRuleWrite,
  actor: Actor,
): Promise<FarmerRuleModel | null> {
  const [changed] = await FarmerRuleModel.query(transaction)
    .where({ id: ruleId, organizationId })
    .patch({ ...rule, ...FITTING, updatedBy: actor.subject, updatedAt: transaction.raw('now()') })
    .returning(columns(transaction));
  if (changed === undefined) return null;
  await recordRule(transaction, actor, 'rule.changed', changed);
  return changed;
}

/** Deletes a rule and resolves its open alerts; false where the organization has no such rule. */
export async function deleteAlertRule(
  database: Database,
  { organizationId, ruleId }: AlertRuleKey,
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [deleted] = await AlertRuleModel.query(transaction)
      .where({ id: ruleId, organizationId })
      .delete()
      .returning('*');
    if (deleted === undefined) return false;
    await recordRule(transaction, actor, 'rule.deleted', deleted);
    // After the rule is locked, in a statement of its own: it sees what was raised just before.
    await transaction.raw(
      `update alerts set status = 'resolved', ends_at = greatest(starts_at, now()), updated_at = now()
       where rule_id = :ruleId and organization_id = :organizationId and status = 'firing'`,
      { ruleId, organizationId },
    );
    return true;
  });
}

const ACTIONS = {
  'rule.created': 'alertRule.created',
  'rule.changed': 'alertRule.changed',
  'rule.deleted': 'alertRule.deleted',
} as const;

async function recordRule(
  transaction: Database,
  actor: Actor,
  type: 'rule.created' | 'rule.changed' | 'rule.deleted',
  { id, organizationId, moduleId }: AlertRuleModel,
): Promise<void> {
  const key = { organizationId, moduleId };
  await writeAudit(transaction, actor, { ...key, action: ACTIONS[type], targetId: id });
  await recordChange(transaction, { ...key, type, subject: { ruleId: id } });
}
