import { isSuspended } from '../access/suspension-state.ts';
import { isQuarantined } from '../modules/quarantine-state.ts';
import { visibleRevision } from '../modules/visible-revision.ts';

/** Why no back end watches a rule, in the order in which it is named: first what its farmer can change. */
export const UNWATCHED_REASONS = [
  'rule-disabled',
  'rule-outdated',
  'not-installed',
  'data-area-not-granted',
  'module-quarantined',
  'no-valid-key',
  'silent',
] as const;
export type UnwatchedReason = (typeof UNWATCHED_REASONS)[number];

/** The SQL of the reason of an alert rule (the alias of its row), given the ID of the data area of alerts; null: it is watched. */
export function unwatchedReason(rule: string, dataAreaId: string): string {
  return `case
    when not ${rule}.enabled then 'rule-disabled'
    when ${rule}.status = 'outdated' then 'rule-outdated'
    else nullif(coalesce((
      select case
        when not (${dataAreaId}::uuid = any(i.accepted_data_area_ids) and ${isDeclared('m', 'i', dataAreaId)})
          then 'data-area-not-granted'
        when ${isQuarantined('m')} then 'module-quarantined'
        when ${isSuspended('m.organization_id')} or not exists (
          select from api_keys k where k.organization_id = m.organization_id and k.module_id = m.id
            and k.revoked_at is null and k.expires_at > now()) then 'no-valid-key'
        when ${hasMissedReport(rule, 'i')} then 'silent'
        else '' end
      from installations i join modules m on m.id = i.module_id
      where i.organization_id = ${rule}.organization_id and i.module_id = ${rule}.module_id
    ), 'not-installed'), '') end`;
}

function isDeclared(module: string, installation: string, dataAreaId: string): string {
  return `exists (
          select from module_revisions r where r.module_id = ${module}.id
            and r.revision = ${visibleRevision(module, `${installation}.organization_id`)}
            and jsonb_exists(r.data_area_ids, ${dataAreaId}::text))`;
}

/**
 * The interval begins anew when the rule is enabled or changed, and when the module is installed again. A rule without
 * an interval misses no report.
 */
function hasMissedReport(rule: string, installation: string): string {
  const since = `greatest(${rule}.reported_at, ${rule}.updated_at, ${installation}.created_at)`;
  return `${since} + make_interval(hours => ${rule}.expected_interval_hours) < now()`;
}
