import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../shared/db/access/audit-log.ts';
import { findInstallation, type InstallationKey } from '../../shared/db/access/installations.ts';
import {
  changeAlertRule,
  findAlertRule,
  insertAlertRule,
  type AlertRuleInput,
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
    const checked = fitRule(await lockInstalledModule(transaction, key), input);
    if ('issues' in checked) return checked;
    return { rule: await insertAlertRule(transaction, key, checked, actor) };
  });
}

/** Changes a rule, when it fits its module's current definition or is turned off; null where the organization has no such rule. */
export async function updateAlertRule(
  database: Database,
  key: AlertRuleKey & AlertsArea,
  moduleId: string | null,
  input: AlertRuleInput,
  actor: Actor,
): Promise<AlertRuleOutcome | null> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, key.organizationId);
    const current = await findAlertRule(transaction, key);
    if (current === null) return null;
    if (moduleId !== null && moduleId !== current.moduleId)
      return { issues: [{ pointer: '/moduleId', detail: 'The module of a rule never changes.' }] };
    const offered = await lockInstalledModule(transaction, current);
    // One that no longer fits can be turned off.
    const checked = offered !== null && isTurnedOff(current, input) ? input : fitRule(offered, input);
    if ('issues' in checked) return checked;
    const rule = await changeAlertRule(transaction, key, checked, actor);
    return rule && { rule };
  });
}

/**
 * What the organization is offered of a module, whose definitions no import replaces until the transaction ends; null where it has not installed
 * the module.
 */
async function lockInstalledModule(transaction: Database, key: InstallationKey) {
  const offered = await lockOfferedModule(transaction, key.organizationId, key.moduleId);
  const installed = await findInstallation(transaction, key);
  return installed === undefined ? null : offered;
}

type InstalledModule = Awaited<ReturnType<typeof lockInstalledModule>>;

/** The rule with the definitions that it fits, or what is wrong. */
function fitRule(
  offered: InstalledModule,
  input: AlertRuleInput,
): AlertRuleWrite | { readonly issues: readonly AlertRuleIssue[] } {
  // One answer for a module that is not installed and for one that does not exist.
  if (offered === null)
    return { issues: [{ pointer: '/moduleId', detail: 'The organization has not installed this module.' }] };
  const issues = validateAlertRule(offered.alertRules, input.criteria, input.ruleValues);
  if (issues.length > 0) return { issues };
  const expectedIntervalHours = expectedIntervalOf(offered.alertRules, input.criteria);
  const { revision: definitionRevision, rulesVersion: definitionVersion } = offered;
  const fitting = { status: 'active' as const, outdatedReasons: [] };
  return { ...input, definitionRevision, definitionVersion, expectedIntervalHours, ...fitting };
}

/** Whether a rule stays as it is, but for its name and being turned off. */
function isTurnedOff(current: AlertRuleInput, { criteria, ruleValues, enabled }: AlertRuleInput): boolean {
  return !enabled && criteria === current.criteria && isDeepStrictEqual(ruleValues, current.ruleValues);
}
