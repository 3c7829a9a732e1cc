import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import { expectedIntervalOf } from '../../package/alert-rules/expected-interval.ts';
import { validateAlertRule } from '../../package/alert-rules/validate-alert-rule.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import type { AlertRuleModel } from './models.ts';
import { visibleRevision, visibleRevisions } from '../modules/visible-revision.ts';

/** Rules that are read and written at once: this bounds the memory of a release of a popular module. */
const BATCH = 1_000;
const MAX_REASONS = 20;

interface CheckedRule extends Pick<
  AlertRuleModel,
  'organizationId' | 'id' | 'criteria' | 'ruleValues' | 'definitionRevision' | 'status'
> {
  /** The revision that its organization sees; null: none. */
  readonly visibleRevision: number | null;
}

/** A revision's definitions; the version is equal for equal ones. */
interface Definitions {
  readonly revision: number;
  readonly version: string;
  /** Null also of revisions that nobody sees any more. */
  readonly alertRules: AlertRules | null;
}

/**
 * Validates the farmers' rules of a module again after who sees which revision has changed, each against the revision
 * that its organization sees now: what no longer fits is kept as outdated, what fits (again) is active. To be called
 * in the transaction that locks the module's row, so that no rule is written meanwhile, with the revisions that any
 * organization saw before.
 */
export async function checkAlertRulesAgain(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
): Promise<void> {
  const definitions = await readDefinitions(transaction, moduleId, seenBefore);
  // The revisions of a module that was deleted long ago are gone: what its rules were written for is unknown.
  const isEachKnown = seenBefore.length > 0 && seenBefore.every((revision) => definitions.has(revision));
  if (isEachKnown && new Set([...definitions.values()].map(({ version }) => version)).size === 1) return;
  let batch: readonly CheckedRule[] = [];
  do {
    batch = await rulesAfter(transaction, moduleId, batch.at(-1));
    await writeChecks(transaction, moduleId, definitions, batch);
  } while (batch.length === BATCH);
}

/** The database compares them as values: neither the order of members matters, nor members that a later release has added. */
async function readDefinitions(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
): Promise<ReadonlyMap<number, Definitions>> {
  const result = await transaction.raw<{ rows: Definitions[] }>(
    `select r.revision, coalesce(md5(jsonb_strip_nulls(r.alert_rules::jsonb)::text), '') as version,
       case when r.revision = any(${visibleRevisions('m')}) then r.alert_rules end as alert_rules
     from modules m join module_revisions r on r.module_id = m.id
       and r.revision = any(${visibleRevisions('m')} || :seenBefore::int[])
     where m.id = :moduleId`,
    { moduleId, seenBefore: [...seenBefore] },
  );
  return new Map(result.rows.map((row) => [row.revision, row]));
}

/** The next rules in the order of the index, locked in that order. */
async function rulesAfter(
  transaction: Database,
  moduleId: string,
  last: CheckedRule | undefined,
): Promise<readonly CheckedRule[]> {
  const result = await transaction.raw<{ rows: CheckedRule[] }>(
    `select a.organization_id, a.id, a.criteria, a.rule_values, a.definition_revision, a.status,
       ${visibleRevision('m', 'a.organization_id')} as visible_revision
     from alert_rules a join modules m on m.id = a.module_id
     where a.module_id = :moduleId
       and (:id::uuid is null or (a.organization_id, a.id) > (:organizationId::uuid, :id::uuid))
     order by a.organization_id, a.id limit :limit for no key update of a`,
    { moduleId, organizationId: last?.organizationId ?? null, id: last?.id ?? null, limit: BATCH },
  );
  return result.rows;
}

const WRITE_CHECKS = `
  with changed as (
    update alert_rules set definition_revision = checked.revision, outdated_reasons = checked.reasons::jsonb,
      status = case when checked.reasons = '[]' then 'active' else 'outdated' end,
      expected_interval_hours = checked.interval_hours, updated_at = now()
    from unnest(:organizationIds::uuid[], :ids::uuid[], :statuses::text[], :reasons::text[], :revisions::int[],
        :intervals::int[])
      as checked (organization_id, id, status, reasons, revision, interval_hours)
    where alert_rules.id = checked.id and alert_rules.organization_id = checked.organization_id
      and alert_rules.module_id = :moduleId
    returning alert_rules.id, alert_rules.organization_id, alert_rules.module_id, alert_rules.status,
      checked.status as last_status
  )
  ${changesInsert(
    {
      type: "case when status = 'outdated' and last_status = 'active' then 'rule.outdated' else 'rule.changed' end",
      moduleId: 'module_id',
      organizationId: 'organization_id',
      subject: "jsonb_build_object('ruleId', id)",
    },
    'changed',
  )}`;

/** Writes what has changed. The rules of an organization that sees no revision stay as they are. */
async function writeChecks(
  transaction: Database,
  moduleId: string,
  definitions: ReadonlyMap<number, Definitions>,
  batch: readonly CheckedRule[],
): Promise<void> {
  const checked = batch.flatMap(({ organizationId, id, criteria, ruleValues, ...rule }) => {
    const seen = rule.visibleRevision === null ? undefined : definitions.get(rule.visibleRevision);
    if (seen === undefined || seen.version === definitions.get(rule.definitionRevision)?.version) return [];
    const issues = validateAlertRule(seen.alertRules, criteria, ruleValues);
    const reasons = JSON.stringify(issues.slice(0, MAX_REASONS).map(({ detail }) => detail));
    const interval = expectedIntervalOf(seen.alertRules, criteria);
    return [{ organizationId, id, reasons, status: rule.status, revision: seen.revision, interval }];
  });
  if (checked.length === 0) return;
  await transaction.raw(WRITE_CHECKS, {
    moduleId,
    organizationIds: checked.map(({ organizationId }) => organizationId),
    ids: checked.map(({ id }) => id),
    statuses: checked.map(({ status }) => status),
    reasons: checked.map(({ reasons }) => reasons),
    revisions: checked.map(({ revision }) => revision),
    intervals: checked.map(({ interval }) => interval),
  });
}
