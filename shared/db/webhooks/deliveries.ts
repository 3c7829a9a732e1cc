import { randomUUID } from 'node:crypto';
import { CALL_MS } from '../../webhooks/webhook-call.ts';
import { isQuarantined } from '../modules/quarantine-state.ts';
import { isSuspended } from '../access/suspension-state.ts';
import { declaringModule, isDeclaredTo } from '../access/module-grants.ts';
import type { StoredChange } from '../changes/change-item.ts';
import { CHANGE_TYPES } from '../changes/change-types.ts';
import type { Database } from '../database.ts';
import { queryRows } from '../statement.ts';
import type { WebhookModel } from './models.ts';
import { OPERATOR_OWNER } from './operator-owner.ts';
import { equalPart, valuesInTurn } from './turns.ts';

/** The columns of a webhook that a call uses. */
type CalledWebhook = Pick<
  WebhookModel,
  'id' | 'organizationId' | 'moduleId' | 'url' | 'sealedKeys' | 'previousSealedKeys' | 'previousUntil'
>;

/** A change that is to be delivered to a webhook, as a claim returns it. */
export interface Delivery {
  readonly webhook: CalledWebhook;
  readonly eventId: string;
  /** The number of attempts, including this one. */
  readonly attempts: number;
  /** Null: a test. */
  readonly change: StoredChange | null;
}

/** Within it the result of a call is recorded: longer than a worker waits for a connection and for a lock. */
const RECORD_MS = 45_000;
/** A claim outlives the call and the record of it: when it ends, its worker has died, and the call is repeated. */
export const DELIVERY_LEASE_MS = CALL_MS + RECORD_MS;

const granted = (dataArea: string) => `exists (
  select from installations i, ${declaringModule('c.module_id', dataArea)} m
  where i.module_id = c.module_id and i.organization_id = c.organization_id
    and ${dataArea}::uuid = any(i.accepted_data_area_ids) and ${isDeclaredTo('m', 'i.organization_id')})`;

const typesOf = (dataArea: string) =>
  Object.entries(CHANGE_TYPES).flatMap(([type, needed]) => (needed === dataArea ? [type] : []));
const structureTypes = typesOf('FarmOrganization');
const alertTypes = typesOf('FarmOrganizationAlerts');

/** The IDs of the data areas that changes need. */
export interface ChangeAreas {
  readonly structuresArea: string;
  readonly alertsArea: string;
}

/** The events that a quarantine does not hold back: its own, and tests. */
const IS_ANNOUNCED = `(d.position is null
  or exists (select from changes q where q.position = d.position and q.type = 'module.quarantined'))`;

/** More of an organization's webhooks are looked at than have a turn: whose turn it is depends on the calls that run. */
const OTHERS = 16;
/** The most deliveries of a webhook that are held back at once. */
const HELD = 1_000;

const ORGANIZATIONS = { table: 'webhook_deliveries', where: 'is_due', column: 'organization_id' };
const webhooksOf = (organization: string) => ({
  table: 'webhook_deliveries',
  where: `is_due and organization_id = ${organization}.organization_id`,
  column: 'webhook_id',
});

/** Whether an organization of `line` has a webhook that may be called: of one without calls, any may. */
const HAS_OPEN_WEBHOOK = `(r.calls is null or exists (
  with recursive turn as (${valuesInTurn('turn', webhooksOf('line'), '1 + cardinality(:busy::uuid[])')})
  select from turn where webhook_id <> all(:busy::uuid[])))`;

/*
 * The index has only what is due. The free slots are shared among organizations, and those of each among its webhooks;
 * where there are not enough, those with the fewest calls come first. Then each webhook's oldest changes are taken.
 *
 * While a module is in quarantine, which is why its keys are refused, only that is delivered, and test events. The rest
 * is neither lost nor due: it is delivered when the quarantine ends. A worker that takes a row that another one has taken
 * meanwhile finds it is not due any more. One whose quarantine has ended meanwhile, or is ending, holds nothing back: it
 * would stay when the end has looked. Nothing is taken of an organization that is suspended.
 */
const CLAIM = `
  with recursive line as (
    ${valuesInTurn('line', ORGANIZATIONS, ':free::int + cardinality(:organizations::uuid[]) + (select count(*) from suspensions)')}
  ), open as (
    select line.organization_id, coalesce(r.calls, 0) as calls
    from line left join unnest(:organizations::uuid[], :organizationCalls::int[]) r (id, calls)
      on r.id = line.organization_id
    where coalesce(r.calls, 0) < :maxOfOrganization and not ${isSuspended('line.organization_id')} and ${HAS_OPEN_WEBHOOK}
    order by calls, random() limit :free
  ), organization as materialized (
    select organization_id, least(:maxOfOrganization - calls, ${equalPart(':free::int', 'calls')}) as share from open
  ), asked as materialized (
    select w.id, w.organization_id, w.module_id, ${isQuarantined('m')} as is_held, chosen.size
    from organization o cross join lateral (
      with recursive turn as (
        ${valuesInTurn('turn', webhooksOf('o'), `o.share + ${OTHERS} + cardinality(:webhooks::uuid[])`)}
      ), open_webhook as (
        select t.webhook_id, coalesce(r.calls, 0) as calls
        from turn t left join unnest(:webhooks::uuid[], :webhookCalls::int[]) r (id, calls) on r.id = t.webhook_id
        where coalesce(r.calls, 0) < :maxOfWebhook
        order by calls, random() limit o.share
      )
      select webhook_id, least(:maxOfWebhook - calls, ${equalPart('o.share', 'calls')}) as size from open_webhook
    ) chosen join webhooks w on w.id = chosen.webhook_id join modules m on m.id = w.module_id
  ), held as (
    update webhook_deliveries set is_due = false
    where ctid = any(array(
      select d.ctid from asked w cross join lateral (
        select d.ctid from webhook_deliveries d join quarantines q on q.module_id = w.module_id
        where w.is_held and d.organization_id = w.organization_id and d.webhook_id = w.id and d.is_due and not ${IS_ANNOUNCED}
          and q.quarantined_at is not null
        limit ${HELD} for update of d skip locked for share of q skip locked) d))
  ), claimed as (
    update webhook_deliveries
    set is_due = false, due_at = now() + ${DELIVERY_LEASE_MS} * interval '1 millisecond', attempts = attempts + 1
    where ctid = any(array(
      select d.ctid from asked w cross join lateral (
        select d.ctid from webhook_deliveries d
        where d.organization_id = w.organization_id and d.webhook_id = w.id and d.is_due
          and (not w.is_held or ${IS_ANNOUNCED})
        order by d.position nulls first limit w.size for update skip locked) d))
    returning *
  )
  select d.event_id, d.attempts, d.position, c.id, c.type, c.at, c.organization_id, c.subject,
    w.id as webhook_id, w.organization_id as vendor_id, w.module_id, w.url,
    w.sealed_keys, w.previous_sealed_keys, w.previous_until,
    case
      when d.position is null then true
      when c.type = any(:structureTypes) then ${granted(':structuresArea::text')}
      when c.type = any(:alertTypes) and w.module_id <> :operator::uuid then ${granted(':alertsArea::text')}
      else c.id is not null
    end as is_granted
  from claimed d join webhooks w on w.id = d.webhook_id left join changes c on c.position = d.position`;

interface ClaimedRow extends Omit<CalledWebhook, 'id' | 'organizationId'> {
  readonly webhookId: string;
  readonly vendorId: string;
  readonly eventId: string;
  readonly attempts: number;
  readonly position: number | null;
  readonly id: string | null;
  /** Whether the module may be notified: consent is asked when the change is sent, not when it is made. */
  readonly isGranted: boolean;
}

/** Calls that a worker makes now, by the organization or the webhook. */
export type RunningCalls = ReadonlyMap<string, number>;

/** The slots that a worker has for calls. */
export interface Claim {
  readonly free: number;
  readonly maxOfOrganization: number;
  readonly maxOfWebhook: number;
  readonly ofOrganizations: RunningCalls;
  readonly ofWebhooks: RunningCalls;
}

/** What a claim returns. */
export interface Claimed {
  readonly deliveries: readonly Delivery[];
  /** Whether there was anything due, so that there may be more. */
  readonly isFound: boolean;
}

/** Claims deliveries that are due, for all free slots: no other worker gets them before the lease has ended. */
export async function claimDeliveries(
  database: Database,
  { ofOrganizations, ofWebhooks, ...limits }: Claim,
  areas: ChangeAreas,
): Promise<Claimed> {
  const rows = await queryRows<ClaimedRow>(database, CLAIM, {
    start: randomUUID(),
    organizations: [...ofOrganizations.keys()],
    organizationCalls: [...ofOrganizations.values()],
    webhooks: [...ofWebhooks.keys()],
    webhookCalls: [...ofWebhooks.values()],
    busy: [...ofWebhooks].flatMap(([id, calls]) => (calls < limits.maxOfWebhook ? [] : [id])),
    structureTypes,
    alertTypes,
    // Consent is to modules: the operator runs the service that has the data.
    operator: OPERATOR_OWNER.moduleId,
    ...limits,
    ...areas,
  });
  const gone = rows.filter(({ isGranted }) => !isGranted);
  if (gone.length > 0) await dropDeliveries(database, gone);
  return {
    deliveries: rows.filter(({ isGranted }) => isGranted).map(deliveryOf),
    isFound: rows.length > 0,
  };
}

function deliveryOf(row: ClaimedRow): Delivery {
  const { webhookId, vendorId, moduleId, url, sealedKeys, previousSealedKeys, previousUntil } = row;
  return {
    webhook: {
      ...{ id: webhookId, organizationId: vendorId, moduleId, url },
      ...{ sealedKeys, previousSealedKeys, previousUntil },
    },
    eventId: row.eventId,
    attempts: row.attempts,
    change: isOfChange(row) ? row : null,
  };
}

function isOfChange(row: ClaimedRow): row is ClaimedRow & StoredChange {
  return row.id !== null;
}

/**
 * SQL that has further changes delivered: a `webhook` with as many deliveries as it may have has room for them when some
 * have `ended`.
 */
export const FILL_ROOM = `
  insert into webhooks_behind (organization_id, webhook_id)
  select organization_id, id from webhook w where id in (select webhook_id from ended)
    and exists (select from changes c where c.module_id = w.module_id and c.position > w.position)`;

const DROP = `
  with webhook as materialized (
    select * from webhooks where id = any(:webhookIds) order by id for key share
  ), ended as (
    delete from webhook_deliveries d using webhook w, unnest(:webhookIds::uuid[], :eventIds::uuid[]) gone (webhook_id, event_id)
    where gone.webhook_id = w.id and d.webhook_id = w.id and d.event_id = gone.event_id
    returning d.webhook_id
  )
  ${FILL_ROOM}`;

/** Ends deliveries without an attempt: of changes that are not kept any more, or that the farmer no longer shares. */
async function dropDeliveries(
  database: Database,
  deliveries: readonly Pick<ClaimedRow, 'webhookId' | 'eventId'>[],
): Promise<void> {
  await database.raw(DROP, {
    webhookIds: deliveries.map(({ webhookId }) => webhookId),
    eventIds: deliveries.map(({ eventId }) => eventId),
  });
}

/**
 * SQL for the end of what has held back the deliveries of webhooks `w`: they are due, with as much time as any other.
 */
export function releaseHeld(condition: string): string {
  return `
  update webhook_deliveries d set started_at = now(), attempts = 0, is_due = due_at is null
  from webhooks w
  where ${condition} and d.webhook_id = w.id and w.status = 'enabled'`;
}
