import { declaringModule, isDeclaredTo } from '../access/module-grants.ts';
import type { StoredChange } from '../changes/change-item.ts';
import { CHANGE_TYPES } from '../changes/change-types.ts';
import type { Database } from '../database.ts';
import type { WebhookModel } from './models.ts';

/** A change that is to be delivered to a webhook, as a claim returns it. */
export interface Delivery {
  readonly webhookId: string;
  readonly eventId: string;
  /** How many attempts there are with this one. */
  readonly attempts: number;
  /** Null: a test. */
  readonly change: StoredChange | null;
}

/** So many changes of a webhook get their deliveries at once. */
const BATCH = 1_000;
/** A webhook that fails collects no more: its further changes wait where they are. */
const MAX_PENDING = 10_000;
/** Longer than a call and the record of it take: then its worker has died, and the call is repeated. */
const LEASE_SECONDS = 40;

/*
 * While a module is in quarantine, which is why its keys are refused, only that is delivered, and test events. The rest
 * is neither lost nor due: it is delivered when the quarantine ends.
 */
const isDue = (isHeld: string) => `d.due_at <= now() and (
  not ${isHeld} or d.position is null
  or exists (select from changes q where q.position = d.position and q.type = 'module.quarantined'))`;

const WITH_WORK = `
  select w.id from webhooks w join modules m on m.id = w.module_id where w.status = 'enabled' and (
    exists (select from changes c where c.module_id = w.module_id and c.position > w.position)
    or exists (select from webhook_deliveries d where d.webhook_id = w.id and ${isDue('(m.quarantined_at is not null)')}))`;

/** The enabled webhooks for which something is to be done now. */
export async function findWebhooksWithWork(database: Database): Promise<readonly string[]> {
  const { rows } = await database.raw<{ rows: { id: string }[] }>(WITH_WORK);
  return rows.map(({ id }) => id);
}

/*
 * The rows' locks make two workers take turns. What they see of a row is what the other one has written; the
 * deliveries that both would make are the same rows.
 */
const MAKE = `
  with webhook as (
    select * from webhooks where id = any(:ids) and status = 'enabled' and exists (
      select from changes c where c.module_id = webhooks.module_id and c.position > webhooks.position)
    order by id for no key update
  ), room as (
    select w.*, greatest(0, least(${BATCH}, ${MAX_PENDING} - (
      select count(*) from (select from webhook_deliveries where webhook_id = w.id limit ${MAX_PENDING}) pending
    ))) as size from webhook w
  ), fresh as (
    select w.id as webhook_id, c.* from room w cross join lateral (
      select id as event_id, position, type from changes c
      where c.module_id = w.module_id and c.position > w.position
      order by c.position limit w.size) c
  ), made as (
    insert into webhook_deliveries (webhook_id, event_id, position)
    select w.id, c.event_id, c.position from room w join fresh c on c.webhook_id = w.id
    where w.types is null or c.type = any(w.types)
    on conflict do nothing
  ), progress as (
    select webhook_id, max(position) as last from fresh group by webhook_id
  )
  update webhooks set position = greatest(webhooks.position, progress.last)
  from progress where webhooks.id = progress.webhook_id`;

/** Makes the deliveries of the webhooks' next changes. */
export async function makeDeliveries(database: Database, ids: readonly string[]): Promise<void> {
  await database.raw(MAKE, { ids: [...ids] });
}

/** An enabled webhook that has something to deliver. */
export interface DueWebhook extends Pick<
  WebhookModel,
  'id' | 'organizationId' | 'moduleId' | 'url' | 'sealedKeys' | 'previousSealedKeys' | 'previousUntil'
> {
  /** How many of its deliveries are due, as far as they were counted. */
  readonly due: number;
}

const DUE = `
  select w.id, w.organization_id, w.module_id, w.url,
    w.sealed_keys, w.previous_sealed_keys, w.previous_until, count(*)::int as due
  from webhooks w join modules m on m.id = w.module_id cross join lateral (
    select from webhook_deliveries d
    where d.webhook_id = w.id and ${isDue('(m.quarantined_at is not null)')} limit :most) d
  where w.id = any(:ids) and w.status = 'enabled' group by w.id`;

/** Those of the webhooks that are enabled and have deliveries that are due, of which at most so many are counted. */
export async function findDueWebhooks(
  database: Database,
  ids: readonly string[],
  most: number,
): Promise<readonly DueWebhook[]> {
  return (await database.raw<{ rows: DueWebhook[] }>(DUE, { ids: [...ids], most })).rows;
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

/*
 * A worker that takes a row that another one has taken meanwhile finds it is not due any more.
 */
const CLAIM = `
  with asked as materialized (
    select w.id, m.quarantined_at is not null as is_held, share.size
    from unnest(:ids::uuid[], :sizes::int[]) share (id, size)
    join webhooks w on w.id = share.id join modules m on m.id = w.module_id
  ), claimed as (
    update webhook_deliveries set due_at = now() + ${LEASE_SECONDS} * interval '1 second', attempts = attempts + 1
    where ctid = any(array(
      select d.ctid from asked w cross join lateral (
        select d.ctid from webhook_deliveries d
        where d.webhook_id = w.id and ${isDue('w.is_held')}
        order by d.due_at, d.position limit w.size for update skip locked) d))
    returning *
  )
  select d.webhook_id, d.event_id, d.attempts, d.position, c.id, c.type, c.at, c.organization_id, c.subject,
    case
      when d.position is null then true
      when c.type = any(:structureTypes) then ${granted(':structuresArea::text')}
      when c.type = any(:alertTypes) then ${granted(':alertsArea::text')}
      else c.id is not null
    end as is_granted
  from claimed d left join changes c on c.position = d.position`;

interface ClaimedRow {
  readonly webhookId: string;
  readonly eventId: string;
  readonly attempts: number;
  readonly position: number | null;
  readonly id: string | null;
  /** Whether the module may be notified: consent is asked when the change is sent, not when it is made. */
  readonly isGranted: boolean;
}

/** How many deliveries of a webhook are claimed at most. */
export interface Share {
  readonly id: string;
  readonly size: number;
}

/** Claims deliveries of webhooks that are due; nobody else gets them while this worker lives. */
export async function claimDeliveries(
  database: Database,
  shares: readonly Share[],
  areas: ChangeAreas,
): Promise<readonly Delivery[]> {
  const { rows } = await database.raw<{ rows: ClaimedRow[] }>(CLAIM, {
    ids: shares.map(({ id }) => id),
    sizes: shares.map(({ size }) => size),
    structureTypes,
    alertTypes,
    ...areas,
  });
  const gone = rows.filter(({ isGranted }) => !isGranted);
  if (gone.length > 0) await dropDeliveries(database, gone);
  return rows
    .filter(({ isGranted }) => isGranted)
    .map((row) => ({
      webhookId: row.webhookId,
      eventId: row.eventId,
      attempts: row.attempts,
      change: isOfChange(row) ? row : null,
    }));
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
  deliveries: readonly Pick<Delivery, 'webhookId' | 'eventId'>[],
): Promise<void> {
  await database.raw(DROP, {
    webhookIds: deliveries.map(({ webhookId }) => webhookId),
    eventIds: deliveries.map(({ eventId }) => eventId),
  });
}

/** SQL for the end of a quarantine of the module `changed`: what it has held back has as much time as any other delivery. */
export const RESTART_HELD = `
  update webhook_deliveries d set started_at = now(), attempts = 0 from webhooks w, changed
  where w.module_id = changed.id and d.webhook_id = w.id and w.status = 'enabled'`;
