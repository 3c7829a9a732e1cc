import { isQuarantined } from '../modules/quarantine-state.ts';
import { declaringModule, isDeclaredTo } from '../access/module-grants.ts';
import type { StoredChange } from '../changes/change-item.ts';
import { CHANGE_TYPES } from '../changes/change-types.ts';
import type { Database } from '../database.ts';
import { onlyRow, queryRows } from '../statement.ts';
import type { WebhookModel } from './models.ts';

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

/** The most webhooks whose deliveries are made at once, and the most changes of each of them. */
const WEBHOOKS = 200;
const BATCH = 1_000;
/** A webhook that fails collects no more: its further changes wait where they are. */
const MAX_PENDING = 10_000;

/*
 * Workers take different webhooks. One that is locked, because it is being changed, delays no other: it is taken later.
 */
const MAKE = `
  with taken as materialized (
    select id, webhook_id from webhooks_behind order by id limit ${WEBHOOKS} for update skip locked
  ), locked as materialized (
    select * from webhooks where id in (select webhook_id from taken) for no key update skip locked
  ), room as (
    select w.id, w.module_id, w.types, w.position, least(${BATCH}, ${MAX_PENDING} - (
      select count(*) from (select from webhook_deliveries where webhook_id = w.id limit ${MAX_PENDING}) pending
    )) as size from locked w where w.status = 'enabled'
  ), fresh as (
    select w.id as webhook_id, w.types, c.* from room w cross join lateral (
      select id as event_id, position, type from changes c
      where c.module_id = w.module_id and c.position > w.position
      order by c.position limit w.size) c
  ), made as (
    insert into webhook_deliveries (webhook_id, event_id, position)
    select webhook_id, event_id, position from fresh where types is null or type = any(types)
    on conflict do nothing
  ), progress as (
    select webhook_id, max(position) as last, count(*) = ${BATCH} as has_more from fresh group by webhook_id
  ), moved as (
    update webhooks set position = p.last from progress p where webhooks.id = p.webhook_id
  ), more as (
    insert into webhooks_behind (webhook_id) select webhook_id from progress where has_more returning id
  ), done as (
    delete from webhooks_behind b using taken t
    where b.id = t.id and (
      t.webhook_id in (select id from locked) or not exists (select from webhooks w where w.id = t.webhook_id))
    returning b.id
  )
  select exists (select from more) or (select count(*) from done) = ${WEBHOOKS} as has_more`;

/** Makes the deliveries of the next changes of webhooks; returns whether there are more to be made at once. */
export async function makeDeliveries(database: Database): Promise<boolean> {
  return (await onlyRow<{ hasMore: boolean }>(database, MAKE)).hasMore;
}

/** A webhook that has something to deliver. */
export interface DueWebhook extends Pick<WebhookModel, 'id' | 'organizationId'> {
  /** The number of its due deliveries, as far as they were counted. */
  readonly due: number;
}

/*
 * The index has only what waits for a time: each webhook in it is found once, however much waits for it, and those that
 * have nothing to deliver cost nothing.
 */
const DUE = `
  with recursive waiting as (
    (select webhook_id from webhook_deliveries where due_at is not null order by webhook_id limit 1)
    union all
    select (
      select d.webhook_id from webhook_deliveries d where d.due_at is not null and d.webhook_id > w.webhook_id
      order by d.webhook_id limit 1
    ) from waiting w where w.webhook_id is not null
  )
  select w.id, w.organization_id, d.due
  from waiting join webhooks w on w.id = waiting.webhook_id cross join lateral (
    select count(*)::int as due
    from (select from webhook_deliveries where webhook_id = w.id and due_at <= now() limit :most) counted) d
  where d.due > 0`;

/** The webhooks with due deliveries; of each, deliveries are counted up to a maximum. */
export async function findDueWebhooks(database: Database, most: number): Promise<readonly DueWebhook[]> {
  return queryRows<DueWebhook>(database, DUE, { most });
}

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

/*
 * While a module is in quarantine, which is why its keys are refused, only that is delivered, and test events. The rest
 * is neither lost nor due: it is delivered when the quarantine ends. A worker that takes a row that another one has taken
 * meanwhile finds it is not due any more.
 */
const CLAIM = `
  with asked as materialized (
    select w.id, ${isQuarantined('m')} as is_held, share.size
    from unnest(:ids::uuid[], :sizes::int[]) share (id, size)
    join webhooks w on w.id = share.id join modules m on m.id = w.module_id
  ), held as (
    update webhook_deliveries set due_at = null
    where ctid = any(array(
      select d.ctid from asked w join webhook_deliveries d on d.webhook_id = w.id
      where w.is_held and d.due_at <= now() and not ${IS_ANNOUNCED} for update of d skip locked))
  ), claimed as (
    update webhook_deliveries set due_at = now() + :leaseMs * interval '1 millisecond', attempts = attempts + 1
    where ctid = any(array(
      select d.ctid from asked w cross join lateral (
        select d.ctid from webhook_deliveries d
        where d.webhook_id = w.id and d.due_at <= now() and (not w.is_held or ${IS_ANNOUNCED})
        order by d.due_at, d.position limit w.size for update skip locked) d))
    returning *
  )
  select d.event_id, d.attempts, d.position, c.id, c.type, c.at, c.organization_id, c.subject,
    w.id as webhook_id, w.organization_id as vendor_id, w.module_id, w.url,
    w.sealed_keys, w.previous_sealed_keys, w.previous_until,
    case
      when d.position is null then true
      when c.type = any(:structureTypes) then ${granted(':structuresArea::text')}
      when c.type = any(:alertTypes) then ${granted(':alertsArea::text')}
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

/** The claim: the most deliveries of each webhook, and the time. */
export interface Claim {
  readonly shares: readonly { readonly id: string; readonly size: number }[];
  readonly leaseMs: number;
}

/** Claims deliveries of webhooks that are due: no other worker gets them before the lease has ended. */
export async function claimDeliveries(
  database: Database,
  { shares, leaseMs }: Claim,
  areas: ChangeAreas,
): Promise<readonly Delivery[]> {
  const rows = await queryRows<ClaimedRow>(database, CLAIM, {
    ids: shares.map(({ id }) => id),
    sizes: shares.map(({ size }) => size),
    leaseMs,
    structureTypes,
    alertTypes,
    ...areas,
  });
  const gone = rows.filter(({ isGranted }) => !isGranted);
  if (gone.length > 0) await dropDeliveries(database, gone);
  return rows.filter(({ isGranted }) => isGranted).map(deliveryOf);
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

const DROP = `
  delete from webhook_deliveries d using unnest(:webhookIds::uuid[], :eventIds::uuid[]) gone (webhook_id, event_id)
  where d.webhook_id = gone.webhook_id and d.event_id = gone.event_id`;

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

/** SQL for the end of a quarantine of the module `changed`: what it has held back is due, with as much time as any other. */
export const RELEASE_HELD = `
  update webhook_deliveries d set started_at = now(), attempts = 0, due_at = coalesce(due_at, now())
  from webhooks w, changed
  where w.module_id = changed.id and d.webhook_id = w.id and w.status = 'enabled'`;
