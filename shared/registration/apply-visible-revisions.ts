import type { Database } from '../db/database.ts';
import { recheckAlertRules, recheckConsents } from '../db/modules/recheck-dependents.ts';
import { expectedIntervalOf } from '../package/alert-rules/alert-rules.ts';
import { validateAlertRule } from '../package/alert-rules/validate-alert-rule.ts';
import { pendingConsentOf } from './pending-consent.ts';

const MAX_REASONS = 20;

/**
 * What follows when organizations see another revision of a module than before. Alert rules that no longer fit are
 * outdated, those that fit (again) are active, and consents to what is new are pending. Where an organization sees no
 * revision, its rules stay. To be called in the transaction that locks the module's row, so that nobody writes a rule or
 * consents meanwhile, with the revisions that any organization saw before.
 */
export async function applyVisibleRevisions(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
): Promise<void> {
  await recheckAlertRules(transaction, moduleId, seenBefore, (rule, seen, parts) => {
    if (seen === undefined || seen.version === parts.get(rule.definitionRevision)?.version) return null;
    const { id, organizationId, status, criteria } = rule;
    const issues = validateAlertRule(seen.alertRules, criteria, rule.ruleValues);
    const reasons = issues.slice(0, MAX_REASONS).map(({ detail }) => detail);
    const interval = expectedIntervalOf(seen.alertRules, criteria);
    return { id, organizationId, status, reasons, revision: seen.revision, interval };
  });
  await recheckConsents(transaction, moduleId, seenBefore, (installation, seen) => {
    const { organizationId, pendingRevision } = installation;
    const pending = seen === undefined ? null : pendingConsentOf({ ...installation, ...seen });
    const revision = pending?.revision ?? null;
    return revision === pendingRevision ? null : { organizationId, revision };
  });
}
