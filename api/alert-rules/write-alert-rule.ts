import type { Actor } from '../../shared/db/access/audit-log.ts';
import { findInstallation, type InstallationKey } from '../../shared/db/access/installations.ts';
import {
  changeAlertRule,
  findAlertRule,
  insertAlertRule,
  type AlertRuleKey,
  type AlertRuleWrite,
  type AlertsArea,
  type FarmerRuleModel,
} from '../../shared/db/alerts/alert-rules.ts';
import type { Database } from '../../shared/db/database.ts';
import { lockOfferedModule } from '../../shared/db/modules/offered-module.ts';
import { lockOrganization, type AddingActor } from '../../shared/db/quota.ts';
import { expectedIntervalOf } from '../../shared/package/alert-rules/alert-rules.ts';
import {
  validateAlertRule,
  type AlertRuleIssue,
} from '../../shared/package/alert-rules/validate-alert-rule.ts';

/** What a farmer sets of a rule. */
export type AlertRuleInput = Pick<AlertRuleWrite, 'criteria' | 'ruleValues' | 'name' | 'enabled'>;

/** A rule that was stored, or what is wrong with it. */
export type AlertRuleOutcome =
  { readonly rule: FarmerRuleModel } | { readonly issues: readonly AlertRuleIssue[] };

/**
 * Creates a rule of a module that the organization has installed, when it fits the module's current definition.
 * @throws QuotaExceededError
 */
export async function createAlertRule(
  database: Database,
  key: InstallationKey & AlertsArea,
  input: AlertRuleInput,
  actor: AddingActor,
): Promise<AlertRuleOutcome> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, key.organizationId);
    const checked = await checkRule(transaction, key, input);
    if ('issues' in checked) return checked;
    return { rule: await insertAlertRule(transaction, key, checked, actor) };
  });
}

/** Changes a rule, when it fits its module's current definition; null where the organization has no such rule. */
export async function updateAlertRule(
  database: Database,
  key: AlertRuleKey & AlertsArea,
  moduleId: string | null,
  input: AlertRuleInput,
  actor: Actor,
): Promise<AlertRuleOutcome | null> {
  return database.transaction(async (transaction) => {
    const current = await findAlertRule(transaction, key);
    if (current === null) return null;
    if (moduleId !== null && moduleId !== current.moduleId)
      return { issues: [{ pointer: '/moduleId', detail: 'The module of a rule never changes.' }] };
    const checked = await checkRule(transaction, current, input);
    if ('issues' in checked) return checked;
    const rule = await changeAlertRule(transaction, key, checked, actor);
    return rule && { rule };
  });
}

/** The rule with the definitions that it fits, which no import replaces until the transaction ends, or what is wrong. */
async function checkRule(
  transaction: Database,
  key: InstallationKey,
  input: AlertRuleInput,
): Promise<AlertRuleWrite | { readonly issues: readonly AlertRuleIssue[] }> {
  const offered = await lockOfferedModule(transaction, key.organizationId, key.moduleId);
  const installed = await findInstallation(transaction, key);
  // One answer for a module that is not installed and for one that does not exist.
  if (offered === null || installed === undefined)
    return { issues: [{ pointer: '/moduleId', detail: 'The organization has not installed this module.' }] };
  const issues = validateAlertRule(offered.alertRules, input.criteria, input.ruleValues);
  if (issues.length > 0) return { issues };
  const expectedIntervalHours = expectedIntervalOf(offered.alertRules, input.criteria);
  const { revision: definitionRevision, rulesVersion: definitionVersion } = offered;
  return { ...input, definitionRevision, definitionVersion, expectedIntervalHours };
}
