import { randomUUID } from 'node:crypto';
import { expectedIntervalOf } from '../../package/alert-rules/alert-rules.ts';
import { validateAlertRule, type AlertRuleIssue } from '../../package/alert-rules/validate-alert-rule.ts';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import type { ChangeType } from '../changes/change-types.ts';
import { recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { InstallationModel, type AuditAction } from '../access/models.ts';
import { AlertRuleModel } from './models.ts';
import { lockOfferedModule } from '../modules/offered-module.ts';
import { countRows, lockOrganization, requireWithin, type AddingActor } from '../quota.ts';

/** Which rule of which farmer organization. */
export interface AlertRuleKey {
  readonly organizationId: string;
  readonly ruleId: string;
}

/** What a farmer sets of a rule. */
export interface AlertRuleWrite {
  readonly criteria: string;
  readonly values: AlertRuleModel['ruleValues'];
  readonly name: string | null;
  readonly enabled: boolean;
}

/** A rule as its farmer reads it. */
export class FarmerRuleModel extends AlertRuleModel {
  /** Since when the module has not reported a rule that it should have reported meanwhile; null: it is in time. */
  declare noReportSince: Date | null;
}

/** A rule that was stored, or what is wrong with it. */
export type AlertRuleOutcome =
  { readonly rule: FarmerRuleModel } | { readonly issues: readonly AlertRuleIssue[] };

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
  ];
}

/** Which of an organization's rules. */
export interface AlertRuleFilter {
  /** Null: of all modules. */
  readonly moduleId: string | null;
  /** Null: overdue or not. */
  readonly isOverdue: boolean | null;
}

/** An organization's rules, newest first. */
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
  if (isOverdue !== null) void query.whereRaw(`${IS_OVERDUE} is ${isOverdue ? '' : 'not '}true`);
  return keysetPage(query, page);
}

/** A rule; null where the organization has no such rule. */
export async function findAlertRule(
  database: Database,
  { organizationId, ruleId }: AlertRuleKey,
): Promise<FarmerRuleModel | null> {
  const query = FarmerRuleModel.query(database).select(columns(database));
  return (await query.findById(ruleId).where({ organizationId })) ?? null;
}

/**
 * Creates a rule of a module that the organization has installed, when it fits the module's current definition.
 * @throws QuotaExceededError
 */
export async function createAlertRule(
  database: Database,
  organizationId: string,
  moduleId: string,
  rule: AlertRuleWrite,
  actor: AddingActor,
): Promise<AlertRuleOutcome> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const checked = await checkRule(transaction, organizationId, moduleId, rule);
    if ('issues' in checked) return checked;
    const count = await countRows(transaction, 'alert_rules', { organizationId });
    requireWithin(count + 1, actor.max, 'alert rules in the organization');
    const key = { id: randomUUID(), organizationId, moduleId, createdBy: actor.subject };
    const created = await FarmerRuleModel.query(transaction)
      .insert({ ...key, ...columnsOf(rule, checked, actor) })
      .returning(columns(transaction));
    await recordRule(transaction, actor, 'alertRule.created', created);
    return { rule: created };
  });
}

/** Changes a rule, when it fits its module's current definition; null where the organization has no such rule. */
export async function updateAlertRule(
  database: Database,
  key: AlertRuleKey,
  moduleId: string | null,
  rule: AlertRuleWrite,
  actor: Actor,
): Promise<AlertRuleOutcome | null> {
  const { organizationId, ruleId } = key;
  return database.transaction(async (transaction) => {
    const current = await findAlertRule(transaction, key);
    if (current === null) return null;
    if (moduleId !== null && moduleId !== current.moduleId)
      return { issues: [{ pointer: '/moduleId', detail: 'The module of a rule never changes.' }] };
    const checked = await checkRule(transaction, organizationId, current.moduleId, rule);
    if ('issues' in checked) return checked;
    const now = transaction.raw('now()');
    const [changed] = await FarmerRuleModel.query(transaction)
      .where({ id: ruleId, organizationId })
      .patch({ ...columnsOf(rule, checked, actor), updatedAt: now })
      .returning(columns(transaction));
    // Another request may have deleted it since.
    if (changed === undefined) return null;
    await recordRule(transaction, actor, 'alertRule.changed', changed);
    return { rule: changed };
  });
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
    await recordRule(transaction, actor, 'alertRule.deleted', deleted);
    // After the rule is locked, in a statement of its own: it sees what was raised just before.
    await transaction.raw(
      `update alerts set status = 'resolved', ends_at = greatest(starts_at, now()), updated_at = now()
       where rule_id = :ruleId and organization_id = :organizationId and status = 'firing'`,
      { ruleId, organizationId },
    );
    return true;
  });
}

/** What a rule takes from the definitions that it fits. */
type Definition = Pick<AlertRuleModel, 'definitionRevision' | 'expectedIntervalHours'>;

/** The definitions that the rule fits, which no import replaces until the transaction ends, or what is wrong. */
async function checkRule(
  transaction: Database,
  organizationId: string,
  moduleId: string,
  { criteria, values }: AlertRuleWrite,
): Promise<Definition | { readonly issues: readonly AlertRuleIssue[] }> {
  const offered = await lockOfferedModule(transaction, organizationId, moduleId);
  const installed = await InstallationModel.query(transaction).findOne({ organizationId, moduleId });
  // One answer for a module that is not installed and for one that does not exist.
  if (offered === null || installed === undefined)
    return { issues: [{ pointer: '/moduleId', detail: 'The organization has not installed this module.' }] };
  const issues = validateAlertRule(offered.alertRules, criteria, values);
  if (issues.length > 0) return { issues };
  const expectedIntervalHours = expectedIntervalOf(offered.alertRules, criteria);
  return { definitionRevision: offered.revision, expectedIntervalHours };
}

type RuleAction = Extract<AuditAction, `alertRule.${string}`>;

const CHANGES = {
  'alertRule.created': 'rule.created',
  'alertRule.changed': 'rule.changed',
  'alertRule.deleted': 'rule.deleted',
} as const satisfies Record<RuleAction, ChangeType>;

async function recordRule(
  transaction: Database,
  actor: Actor,
  action: RuleAction,
  { id, organizationId, moduleId }: AlertRuleModel,
): Promise<void> {
  await writeAudit(transaction, actor, { organizationId, action, moduleId, targetId: id });
  await recordChange(transaction, {
    type: CHANGES[action],
    organizationId,
    moduleId,
    subject: { ruleId: id },
  });
}

function columnsOf(
  { criteria, values, name, enabled }: AlertRuleWrite,
  definition: Definition,
  { subject }: Actor,
) {
  return {
    updatedBy: subject,
    criteria,
    ruleValues: values,
    name,
    enabled,
    status: 'active' as const,
    outdatedReasons: [],
    ...definition,
  };
}
