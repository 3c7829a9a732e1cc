import { randomUUID } from 'node:crypto';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import { recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { isRuleBehind } from '../modules/recheck-dependents.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import type { InstallationKey } from '../access/installations.ts';
import { AlertRuleModel } from './models.ts';
import { requireRoom, type AddingActor } from '../quota.ts';
import { unwatchedReason, type UnwatchedReason } from './unwatched-reason.ts';

export interface AlertRuleKey {
  readonly organizationId: string;
  readonly ruleId: string;
}

/** What a farmer sets of a rule. */
export type AlertRuleInput = Pick<AlertRuleModel, 'criteria' | 'ruleValues' | 'name' | 'enabled'>;

/** With what it takes from the definitions that it fits. */
export type AlertRuleWrite = AlertRuleInput &
  Pick<
    AlertRuleModel,
    'definitionRevision' | 'definitionVersion' | 'expectedIntervalHours' | 'status' | 'outdatedReasons'
  >;

/** The data area that a module must be granted to watch rules, by its ID in the catalogue. */
export interface AlertsArea {
  readonly alertsAreaId: string;
}

/** A rule as its farmer reads it. */
export class FarmerRuleModel extends AlertRuleModel {
  /** Null: its module's back end watches it. */
  declare unwatchedReason: UnwatchedReason | null;
  /** Whether it is still to be validated against what its farmer sees. */
  declare isBehind: boolean;
}

const REASON = unwatchedReason('alert_rules', ':alertsAreaId');
const IS_BEHIND = isRuleBehind('alert_rules');

function columns(database: Database, { alertsAreaId }: AlertsArea) {
  return [
    'alert_rules.*',
    database.raw(`${REASON} as unwatched_reason`, { alertsAreaId }),
    database.raw(`${IS_BEHIND} as is_behind`),
  ];
}

/** Whether a rule is watched: `unwatched` is one that its farmer enabled, and that no back end watches. */
export const RULE_STATES = ['watched', 'unwatched', 'off'] as const;
export type RuleState = (typeof RULE_STATES)[number];

const IN_STATE: Readonly<Record<RuleState, string>> = {
  watched: `${REASON} is null`,
  unwatched: `enabled and ${REASON} is not null`,
  off: 'not enabled',
};

/** The filter of an organization's rules. */
export interface AlertRuleFilter extends AlertsArea {
  /** Null: of all modules. */
  readonly moduleId: string | null;
  /** Null: in any state. */
  readonly state: RuleState | null;
}

export async function listAlertRules(
  database: Database,
  organizationId: string,
  { moduleId, state, ...area }: AlertRuleFilter,
  page: PageRequest,
): Promise<Page<FarmerRuleModel>> {
  const query = FarmerRuleModel.query(database)
    .select(columns(database, area))
    .where({ organizationId, ...(moduleId !== null && { moduleId }) });
  // The state is not known before a rule is validated: the caller reads again then.
  if (state !== null) void query.where(database.raw(`((${IN_STATE[state]}) or ${IS_BEHIND})`, { ...area }));
  return keysetPage(query, page);
}

/** A rule; null where the organization has no such rule. */
export async function findAlertRule(
  database: Database,
  { organizationId, ruleId, ...area }: AlertRuleKey & AlertsArea,
) {
  const query = FarmerRuleModel.query(database).select(columns(database, area));
  return (await query.findById(ruleId).where({ organizationId })) ?? null;
}

/** Writes a new rule, while its organization is locked. @throws QuotaExceededError */
export async function insertAlertRule(
  transaction: Database,
  { organizationId, moduleId, ...area }: InstallationKey & AlertsArea,
  rule: AlertRuleWrite,
  actor: AddingActor,
): Promise<FarmerRuleModel> {
  const what = 'alert rules in the organization';
  await requireRoom(transaction, 'alert_rules', { organizationId }, actor.max, what);
  const by = { createdBy: actor.subject, updatedBy: actor.subject };
  const created = await FarmerRuleModel.query(transaction)
    .insert({ id: randomUUID(), organizationId, moduleId, ...rule, ...by })
    .returning(columns(transaction, area));
  await recordRule(transaction, actor, 'rule.created', created);
  return created;
}

/** Writes a rule anew; null where another request has deleted it. */
export async function changeAlertRule(
  transaction: Database,
  { organizationId, ruleId, ...area }: AlertRuleKey & AlertsArea,
  rule: AlertRuleInput | AlertRuleWrite,
  actor: Actor,
): Promise<FarmerRuleModel | null> {
  const [changed] = await FarmerRuleModel.query(transaction)
    .where({ id: ruleId, organizationId })
    .patch({ ...rule, updatedBy: actor.subject, updatedAt: transaction.raw('now()') })
    .returning(columns(transaction, area));
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
  { id, organizationId, moduleId, name, criteria }: AlertRuleModel,
): Promise<void> {
  const key = { organizationId, moduleId };
  await writeAudit(transaction, actor, {
    ...{ ...key, action: ACTIONS[type], targetId: id, targetName: name ?? criteria },
  });
  await recordChange(transaction, { ...key, type, subject: { ruleId: id } });
}
