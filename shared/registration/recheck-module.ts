import type { Database } from '../db/database.ts';
import {
  alertRulesBy,
  findNotesBehind,
  forgetNotesBehind,
  installationsBy,
  recheckPiece,
  type Dependents,
} from '../db/modules/recheck-dependents.ts';
import { expectedIntervalOf } from '../package/alert-rules/alert-rules.ts';
import { validateAlertRule } from '../package/alert-rules/validate-alert-rule.ts';
import { pendingConsentOf } from './pending-consent.ts';

const MAX_REASONS = 20;

/** Alert rules that no longer fit what their organization sees are outdated, those that fit (again) are active. */
const ALERT_RULES = alertRulesBy(({ criteria, ruleValues }, { revision, alertRules }) => ({
  revision,
  reasons: validateAlertRule(alertRules, criteria, ruleValues)
    .slice(0, MAX_REASONS)
    .map(({ detail }) => detail),
  interval: expectedIntervalOf(alertRules, criteria),
}));

/** Consents to what is new are pending. */
const INSTALLATIONS = installationsBy((installation, seen) => ({
  pendingRevision: pendingConsentOf({ ...installation, ...seen })?.revision ?? null,
}));

/**
 * Checks the rows that depend on a module against what their organizations see, piece by piece. Where it ends early, the
 * notes of the module stay, and the workers' scheduled task goes on.
 */
export async function recheckModule(
  database: Database,
  moduleId: string,
  maxPieces = Infinity,
): Promise<void> {
  const notes = await findNotesBehind(database, moduleId);
  if (notes.length === 0) return;
  const areDone = [
    await recheckAll(database, moduleId, ALERT_RULES, maxPieces),
    await recheckAll(database, moduleId, INSTALLATIONS, maxPieces),
  ];
  if (!areDone.includes(false)) await forgetNotesBehind(database, notes);
}

/**
 * Checks the first rows after a release: nearly always these are all. Never fails, because the release is committed:
 * the scheduled task meets the same error, and reports it.
 */
export async function recheckAfterRelease(database: Database, moduleId: string): Promise<void> {
  await recheckModule(database, moduleId, 1).catch(() => undefined);
}

async function recheckAll<Part extends object, Row extends object>(
  database: Database,
  moduleId: string,
  dependents: Dependents<Part, Row>,
  maxPieces: number,
  ids: readonly string[] | null = null,
): Promise<boolean> {
  let after: Awaited<ReturnType<typeof recheckPiece>> = null;
  for (let pieces = 0; pieces < maxPieces; pieces += 1) {
    after = await recheckPiece(database, moduleId, dependents, { after, ids });
    if (after === null) return true;
  }
  return false;
}

/** An alert rule, with whether its organization sees other definitions than it was checked against. */
interface ReadRule {
  readonly id: string;
  readonly moduleId: string;
  readonly isBehind: boolean;
}

/**
 * Reads alert rules as they fit what their organizations see at that time. After a release the rules that were read are
 * checked at once where their piece is still to come, and read again.
 */
export async function readCurrentRules<Found>(
  database: Database,
  rulesOf: (found: Found) => readonly ReadRule[],
  read: () => Promise<Found>,
): Promise<Found> {
  const found = await read();
  const behind = rulesOf(found).filter(({ isBehind }) => isBehind);
  if (behind.length === 0) return found;
  const ids = behind.map(({ id }) => id);
  for (const moduleId of new Set(behind.map((rule) => rule.moduleId)))
    await recheckAll(database, moduleId, ALERT_RULES, Infinity, ids);
  // Another release may have been committed meanwhile.
  return readCurrentRules(database, rulesOf, read);
}
