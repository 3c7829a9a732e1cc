import { installationsChanged } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { releaseHeld } from '../webhooks/deliveries.ts';
import { auditInsert, type Actor } from './audit-log.ts';
import { queryRow } from '../statement.ts';

/** How an operator suspends an organization. */
export interface Suspension {
  readonly reason: string;
  /** Whether farmers that have its modules installed keep them. */
  readonly farmersKeepAccess: boolean;
}

/** What back ends read of the organization's installations: nothing while it is suspended. */
const OWN_INSTALLATIONS = installationsChanged(
  'installations where organization_id in (select organization_id from started)',
);

/*
 * One statement each, which waits for nobody: it locks nothing that a request or an import of the organization holds. The
 * same suspension again changes nothing.
 */
const SUSPEND = `
  with found as (
    select id as organization_id from organizations where id = :organizationId and deleted_at is null
  ), changed as (
    insert into suspensions as s (organization_id, reason, farmers_keep_access)
    select organization_id, :reason, :farmersKeepAccess::boolean from found
    on conflict (organization_id) do update
      set reason = excluded.reason, farmers_keep_access = excluded.farmers_keep_access
      where (s.reason, s.farmers_keep_access) is distinct from (excluded.reason, excluded.farmers_keep_access)
    returning *, xmax = 0 as is_new
  ), started as (select organization_id from changed where is_new),
  notified as (${OWN_INSTALLATIONS}), recorded as (${auditInsert('organization.suspended', 'changed', {
    details: "jsonb_build_object('reason', reason, 'farmersKeepAccess', farmers_keep_access::text)",
  })})
  select organization_id from found`;

/*
 * What waited goes on: deliveries are due, and the imports that no worker runs are stale, so that the sweep queues them.
 * Both have as much time as new ones. An import whose row is locked is being written.
 */
const LIFT = `
  with started as (delete from suspensions where organization_id = :organizationId returning organization_id),
  waiting as (
    select i.id from imports i join started using (organization_id) where i.status in ('queued', 'running')
    for update of i skip locked
  ), restarted as (
    update imports set queued_at = now(), started_at = case when started_at is not null then now() end
    from waiting where imports.id = waiting.id
  ), released as (${releaseHeld('w.organization_id in (select organization_id from started)')}),
  notified as (${OWN_INSTALLATIONS})
  ${auditInsert('organization.suspensionEnded', 'started')}`;

/** Suspends an organization, or changes why and how; false where there is no such organization. */
export async function suspendOrganization(
  database: Database,
  organizationId: string,
  suspension: Suspension,
  actor: Actor,
): Promise<boolean> {
  return (await queryRow(database, SUSPEND, { organizationId, ...suspension, ...actor })) !== null;
}

/** Lifts a suspension; false where the organization is not suspended. */
export async function endSuspension(
  database: Database,
  organizationId: string,
  actor: Actor,
): Promise<boolean> {
  const { rowCount } = await database.raw<{ rowCount: number }>(LIFT, { organizationId, ...actor });
  return rowCount > 0;
}
