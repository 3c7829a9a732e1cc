import { randomUUID } from 'node:crypto';
import { authorityOfKey, requireAuthority } from '../access/authority.ts';
import type { GrantedKey } from '../access/module-grants.ts';
import type { AlertTarget } from './alert-fingerprint.ts';
import type { AlertModel } from './models.ts';
import { IS_UNREPORTED, VISIBLE_RULES } from './report-rules.ts';
import type { Database } from '../database.ts';
import { QuotaExceededError } from '../quota.ts';
import { findBeyond, requireFewOpen } from './open-alerts-quota.ts';
import { preparedStatement, queryRows } from '../statement.ts';

/** An alert as a module's back end raises it; its labels are sorted by name. */
export interface RaisedAlert extends Readonly<
  Pick<AlertModel, 'ruleId' | 'labels' | 'fingerprint' | 'status' | 'severity' | 'startsAt' | 'endsAt'> &
    Pick<AlertModel, 'title' | 'message' | 'value'>
> {
  readonly target: AlertTarget;
}

/** The effect of a reported alert on the stored ones. */
export type AlertOutcome = 'created' | 'updated' | 'resolved' | 'unchanged';

/** The result of one alert of a batch. */
export interface AlertResult {
  readonly id: string;
  /** Lower-case hex. */
  readonly fingerprint: string;
  readonly outcome: AlertOutcome;
}

/** An alert of a batch that names a rule or target that the database does not have for the module, or is beyond the quota. */
export interface AlertIssue {
  readonly index: number;
  readonly member: 'ruleId' | 'target' | 'quota';
}

/** A result for each alert, or an issue; if the batch is taken whole or not at all, all of them have results or none. */
export interface RaiseResult {
  readonly results: readonly (AlertResult | null)[];
  readonly issues: readonly AlertIssue[];
}

/** How a batch is taken. */
export interface RaiseOptions {
  /** All alerts, if none has an issue; those without an issue; or none: then issues are only looked for. */
  readonly stores: 'all' | 'valid' | 'none';
  /** Open alerts of the module in one organization. */
  readonly maxOpen: number;
}

/**
 * Raises and resolves a batch of alerts: all of them, or none when one names a rule or target that the
 * module does not see, unless the batch is partial. A fingerprint has one open alert, also when several callers raise it at once: the rules'
 * locks serialise batches, and the database's index guarantees it. Fingerprints are unique
 * within a batch.
 * @throws QuotaExceededError where an organization would have more than `maxOpen` open alerts of the module; of a partial
 *   batch as many as fit are raised, in its order
 */
export async function raiseAlerts(
  database: Database,
  key: GrantedKey,
  alerts: readonly RaisedAlert[],
  { stores, maxOpen }: RaiseOptions,
): Promise<RaiseResult> {
  const raiseWithin = async (room: number | null) =>
    database.transaction(async (transaction) => {
      const raised = await raise(transaction, key, alerts, stores, room);
      // After the limit was lowered an organization may be beyond it: nobody else's alerts are refused for that.
      const opened = alerts.filter(
        ({ status }, index) => status === 'firing' && raised.results[index]?.outcome === 'created',
      );
      if (opened.length > 0) await requireFewOpen(transaction, key.moduleId, opened, maxOpen);
      return raised;
    });
  // Few batches reach the quota: only these read who is beyond it.
  return raiseWithin(null).catch((error: unknown) => {
    if (stores === 'valid' && error instanceof QuotaExceededError) return raiseWithin(maxOpen);
    throw error;
  });
}

async function raise(
  transaction: Database,
  key: GrantedKey,
  alerts: readonly RaisedAlert[],
  stores: RaiseOptions['stores'],
  maxOpen: number | null,
): Promise<RaiseResult> {
  const organizations = await ruleOrganizations(transaction, key, alerts);
  const found = await findIssues(transaction, alerts, organizations);
  const invalid = new Set(found.map(({ index }) => index));
  const valid = alerts
    .map((alert, index) => ({ ...alert, index, id: randomUUID(), ...(organizations[index] ?? UNKNOWN) }))
    .filter(({ index }) => !invalid.has(index));
  const beyond = maxOpen === null ? [] : await findBeyond(transaction, key.moduleId, valid, maxOpen);
  const issues = [...found, ...beyond.map((index) => ({ index, member: 'quota' }) as const)];
  const wrong = new Set(issues.map(({ index }) => index));
  const storable = { all: wrong.size === 0, valid: wrong.size < alerts.length, none: false };
  if (!storable[stores]) return { results: [], issues };
  const rows = valid.filter(({ index }) => !wrong.has(index));
  const result = await queryRows<AlertResult & { index: number }>(transaction, WRITE, {
    moduleId: key.moduleId,
    authority: authorityOfKey(key),
    rows: JSON.stringify(
      rows.map(({ target, fingerprint, ...row }) => ({
        ...row,
        fingerprint: `\\x${fingerprint.toString('hex')}`,
        targetType: target.type,
        targetId: target.id,
      })),
    ),
  });
  const byIndex = new Map(result.map(({ index, ...each }) => [index, each]));
  const results = alerts.map((_alert, index) => {
    const written = byIndex.get(index) ?? null;
    if (written === null && !wrong.has(index)) throw new Error('an alert was not written');
    return written;
  });
  await reportRaised(transaction, rows);
  return { results, issues };
}

/** An alert also reports its rule. The rules are locked already; most have been reported within the last minute. */
async function reportRaised(
  transaction: Database,
  rows: readonly (RaisedAlert & RuleOrganization)[],
): Promise<void> {
  const ids = [...new Set(rows.filter(({ isUnreported }) => isUnreported).map(({ ruleId }) => ruleId))];
  if (ids.length === 0) return;
  await transaction.raw('update alert_rules set reported_at = now() where id = any(:ids::uuid[])', { ids });
}

interface RuleOrganization {
  readonly organizationId: string | null;
  /** Whether this report of the rule is to be recorded. */
  readonly isUnreported: boolean;
}

const UNKNOWN: RuleOrganization = { organizationId: null, isUnreported: false };

const RULES = preparedStatement(`
  select r.id, r.organization_id, ${IS_UNREPORTED} as is_unreported from ${VISIBLE_RULES}
    and r.id = any(:ruleIds::uuid[])
  order by r.organization_id, r.id for no key update of r, i`);

/**
 * For each alert the organization of its rule, where the module sees it. A fingerprint includes the rule, so
 * with the rules locked (in the order in which imports lock them too) nobody else writes alerts of these
 * fingerprints, and no rule is deleted meanwhile.
 */
async function ruleOrganizations(
  transaction: Database,
  { moduleId, dataAreaId }: GrantedKey,
  alerts: readonly RaisedAlert[],
): Promise<readonly RuleOrganization[]> {
  const ruleIds = [...new Set(alerts.map(({ ruleId }) => ruleId))].toSorted();
  const values = { ruleIds, moduleId, dataAreaId };
  const rows = await queryRows<{ id: string } & RuleOrganization>(transaction, RULES, values);
  const byRule = new Map(rows.map(({ id, ...rule }) => [id, rule]));
  return alerts.map(({ ruleId }) => byRule.get(ruleId) ?? UNKNOWN);
}

/** A stored alert can be resolved when its target is gone: `resolved` has the fingerprints of resolved alerts, and null for others. */
const TARGETS = preparedStatement(`
  with wanted as (
    select * from unnest(:owners::uuid[], :ids::uuid[], :types::text[], :resolved::text[])
      with ordinality as wanted (owner, id, type, resolved, index)
  )
  select index::int - 1 as index from wanted
  join structures s on s.organization_id = wanted.owner and s.id = wanted.id and s.kind = wanted.type
  union all
  select index::int - 1 from wanted
  where exists (select from alerts a where a.fingerprint = decode(wanted.resolved, 'hex'))`);

async function findIssues(
  transaction: Database,
  alerts: readonly RaisedAlert[],
  organizations: readonly RuleOrganization[],
): Promise<readonly AlertIssue[]> {
  const ids = alerts.map(({ target }) => target.id);
  const owners = organizations.map(({ organizationId }) => organizationId);
  const types = alerts.map(({ target }) => target.type);
  const resolved = alerts.map(({ status, fingerprint }) =>
    status === 'resolved' ? fingerprint.toString('hex') : null,
  );
  const rows = await queryRows<{ index: number }>(transaction, TARGETS, { owners, ids, types, resolved });
  const hasTarget = new Set(rows.map(({ index }) => index));
  return alerts.flatMap((_alert, index): AlertIssue[] => {
    if (owners[index] === null) return [{ index, member: 'ruleId' }];
    return hasTarget.has(index) ? [] : [{ index, member: 'target' }];
  });
}

/** The SQL that keeps when an open alert `a` first had each severity: people are notified of it at most once. */
function newSeverity(severity: string): string {
  const before = `coalesce(a.severities, jsonb_build_object(a.severity, a.created_at))`;
  return `severities = case when ${severity} = a.severity then a.severities
        else jsonb_build_object(${severity}, now()) || ${before} end,
      severity_at = case when jsonb_exists(${before}, ${severity}) then a.severity_at else now() end`;
}

/*
 * One statement. A firing alert is inserted, or updates the open one; one that changes nothing is not
 * returned by the insert and counts as unchanged. A resolved one ends the open alert; where there is none, it is
 * stored as a past alert, unless the last of its fingerprint started at the same time: then it is a repeat.
 */
const WRITE = preparedStatement(`
  with authorized as materialized (
    select ${requireAuthority(':authority::jsonb')} as holds
  ), incoming as materialized (
    select incoming.* from authorized, jsonb_to_recordset(:rows::jsonb) as incoming (
      index integer, id uuid, "organizationId" uuid, "ruleId" uuid, fingerprint bytea, "targetType" text,
      "targetId" uuid, status text, severity text, "startsAt" timestamptz(3), "endsAt" timestamptz(3), title text,
      message text, value double precision, labels jsonb
    ) where authorized.holds
  ), open as materialized (
    select id, fingerprint from alerts
    where status = 'firing' and fingerprint in (select fingerprint from incoming)
  ), raised as (
    insert into alerts as a (id, organization_id, module_id, rule_id, fingerprint, target_type, target_id, status,
      severity, starts_at, ends_at, title, message, value, labels)
    select id, "organizationId", :moduleId::uuid, "ruleId", fingerprint, "targetType", "targetId", status, severity,
      "startsAt", "endsAt", title, message, value, labels
    from incoming where status = 'firing'
    on conflict (fingerprint) where status = 'firing' do update
      set severity = excluded.severity, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
        title = excluded.title, message = excluded.message, value = excluded.value, updated_at = now(),
        ${newSeverity('excluded.severity')}
      where (a.severity, a.starts_at, a.ends_at, a.title, a.message, a.value)
        is distinct from (excluded.severity, excluded.starts_at, excluded.ends_at, excluded.title, excluded.message,
          excluded.value)
    returning id, fingerprint
  ), resolved as (
    update alerts a set status = 'resolved', severity = i.severity, title = i.title, message = i.message,
      value = i.value, starts_at = i."startsAt", ends_at = coalesce(i."endsAt", greatest(i."startsAt", now())),
      updated_at = now(),
      ${newSeverity('i.severity')}
    from incoming i join open on open.fingerprint = i.fingerprint
    where i.status = 'resolved' and a.id = open.id
    returning a.id, a.fingerprint
  ), past as (
    select distinct on (i.fingerprint) i.fingerprint, a.id, a.starts_at
    from incoming i join alerts a on a.fingerprint = i.fingerprint and a.status = 'resolved'
    where i.status = 'resolved' and i.fingerprint not in (select fingerprint from open)
    order by i.fingerprint, a.created_at desc
  ), gone as (
    insert into alerts (id, organization_id, module_id, rule_id, fingerprint, target_type, target_id, status,
      severity, starts_at, ends_at, title, message, value, labels)
    select i.id, "organizationId", :moduleId::uuid, "ruleId", i.fingerprint, "targetType", "targetId", status, severity,
      "startsAt", coalesce("endsAt", greatest("startsAt", now())), title, message, value, labels
    from incoming i left join past on past.fingerprint = i.fingerprint
    where status = 'resolved' and i.fingerprint not in (select fingerprint from open)
      and past.starts_at is distinct from i."startsAt"
    returning id, fingerprint
  )
  select i.index, encode(i.fingerprint, 'hex') as fingerprint,
    coalesce(raised.id, resolved.id, gone.id, past.id, open.id) as id,
    case
      when raised.id = i.id or gone.id is not null then 'created'
      when raised.id is not null then 'updated'
      when resolved.id is not null then 'resolved'
      else 'unchanged'
    end as outcome
  from incoming i
  left join open on open.fingerprint = i.fingerprint
  left join raised on raised.fingerprint = i.fingerprint
  left join resolved on resolved.fingerprint = i.fingerprint
  left join past on past.fingerprint = i.fingerprint
  left join gone on gone.fingerprint = i.fingerprint`);
