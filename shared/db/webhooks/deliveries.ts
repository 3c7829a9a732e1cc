import { declaringModule, isDeclaredTo } from '../access/module-grants.ts';
import type { StoredChange } from '../changes/change-item.ts';
import { CHANGE_TYPES } from '../changes/change-types.ts';
import type { Database } from '../database.ts';
import { WebhookModel } from '../models.ts';

/** A change that is to be delivered to a webhook, as a claim returns it. */
export interface Delivery {
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
    w.replay_after < w.replay_to
    or exists (select from changes c where c.module_id = w.module_id and c.position > w.position)
    or exists (select from webhook_deliveries d where d.webhook_id = w.id and ${isDue('(m.quarantined_at is not null)')}))`;

/** The enabled webhooks for which something is to be done now. */
export async function findWebhooksWithWork(database: Database): Promise<readonly string[]> {
  const { rows } = await database.raw<{ rows: { id: string }[] }>(WITH_WORK);
  return rows.map(({ id }) => id);
}

/** A webhook that is enabled; null where it is not, or there is none. */
export async function findEnabledWebhook(database: Database, id: string): Promise<WebhookModel | null> {
  return (await WebhookModel.query(database).findOne({ id, status: 'enabled' })) ?? null;
}

/*
 * The row's lock makes two workers take turns. What they see of it is what the other one has written; the
 * deliveries that both would make are the same rows.
 */
const MAKE = `
  with webhook as (
    select * from webhooks where id = :id and status = 'enabled' and (
      replay_after < replay_to
      or exists (select from changes c where c.module_id = webhooks.module_id and c.position > webhooks.position))
    for no key update
  ), room as (
    select w.*, greatest(0, least(${BATCH}, ${MAX_PENDING} - (
      select count(*) from (select from webhook_deliveries where webhook_id = w.id limit ${MAX_PENDING}) pending
    ))) as size from webhook w
  ), repeated as (
    select c.* from room w cross join lateral (
      select * from changes c
      where c.module_id = w.module_id and c.position > w.replay_after and c.position <= w.replay_to
      order by c.position limit w.size) c
  ), fresh as (
    select c.* from room w cross join lateral (
      select * from changes c where c.module_id = w.module_id and c.position > w.position
      order by c.position limit w.size) c
  ), made as (
    insert into webhook_deliveries (webhook_id, event_id, position, organization_id)
    select w.id, c.id, c.position, coalesce(c.organization_id, w.organization_id)
    from room w cross join (select * from repeated union all select * from fresh) c
    where w.types is null or c.type = any(w.types)
    on conflict do nothing
  ), replayed as (
    select max(position) as last, count(*) as size from repeated
  )
  update webhooks set
    position = greatest(webhooks.position, (select max(position) from fresh)),
    -- Fewer than there was room for: nothing is left to repeat.
    replay_after = case when replayed.size < room.size then null else replayed.last end,
    replay_to = case when replayed.size < room.size then null else webhooks.replay_to end
  from room, replayed where webhooks.id = room.id and room.size > 0`;

/** Makes the deliveries of a webhook's next changes, and of the next ones of a replay. */
export async function makeDeliveries(database: Database, id: string): Promise<void> {
  await database.raw(MAKE, { id });
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
 * Of an ordered webhook only the first delivery of each farmer can be due. A test has no position: it waits for nothing,
 * and nothing waits for it. A quarantine, of which no farmer is the subject, does not wait for what it holds back. A
 * worker that takes a row that another one has taken meanwhile finds it is not due any more.
 */
const CLAIM = `
  with module as materialized (
    select m.quarantined_at is not null as is_held from webhooks w join modules m on m.id = w.module_id where w.id = :id
  ), claimed as (
    update webhook_deliveries set due_at = now() + ${LEASE_SECONDS} * interval '1 second', attempts = attempts + 1
    where ctid = any(array(
      select d.ctid from webhook_deliveries d
      where d.webhook_id = :id and ${isDue('(select is_held from module)')}
        and (not :ordered or (select is_held from module) or d.position is null or not exists (
          select from webhook_deliveries e
          where e.webhook_id = d.webhook_id and e.organization_id = d.organization_id and e.position < d.position))
      order by d.due_at, d.position limit :limit for update skip locked))
    returning *
  )
  select d.event_id, d.attempts, d.position, c.id, c.type, c.at, c.organization_id, c.subject,
    case
      when d.position is null then true
      when c.type = any(:structureTypes) then ${granted(':structuresArea::text')}
      when c.type = any(:alertTypes) then ${granted(':alertsArea::text')}
      else c.id is not null
    end as is_granted
  from claimed d left join changes c on c.position = d.position`;

interface ClaimedRow {
  readonly eventId: string;
  readonly attempts: number;
  readonly position: number | null;
  readonly id: string | null;
  /** Whether the module may be notified: consent is asked when the change is sent, not when it is made. */
  readonly isGranted: boolean;
}

/** Claims at most so many deliveries of a webhook that are due; nobody else gets them while this worker lives. */
export async function claimDeliveries(
  database: Database,
  { id, ordered }: Pick<WebhookModel, 'id' | 'ordered'>,
  areas: ChangeAreas,
  limit: number,
): Promise<readonly Delivery[]> {
  const { rows } = await database.raw<{ rows: ClaimedRow[] }>(CLAIM, {
    id,
    ordered,
    limit,
    structureTypes,
    alertTypes,
    ...areas,
  });
  const gone = rows.filter(({ isGranted }) => !isGranted);
  if (gone.length > 0) await dropDeliveries(database, id, gone);
  return rows
    .filter((row) => !gone.includes(row))
    .map((row) => ({
      eventId: row.eventId,
      attempts: row.attempts,
      change: isOfChange(row) ? row : null,
    }));
}

function isOfChange(row: ClaimedRow): row is ClaimedRow & StoredChange {
  return row.id !== null;
}

/** Ends deliveries without an attempt: of changes that are not kept any more, or that the farmer no longer shares. */
async function dropDeliveries(
  database: Database,
  webhookId: string,
  deliveries: readonly Pick<Delivery, 'eventId'>[],
): Promise<void> {
  await database('webhook_deliveries')
    .where({ webhookId })
    .whereIn(
      'eventId',
      deliveries.map(({ eventId }) => eventId),
    )
    .delete();
}

const PARK = `
  update webhook_deliveries d set due_at = head.due_at
  from (
    select distinct on (organization_id) organization_id, position, due_at from webhook_deliveries
    where webhook_id = :id and position is not null order by organization_id, position
  ) head
  where d.webhook_id = :id and d.organization_id = head.organization_id and d.position > head.position
    and d.due_at <= now() and head.due_at > now()`;

/** Lets the deliveries of an ordered webhook that wait for an earlier one be due with it. */
export async function parkDeliveries(database: Database, id: string): Promise<void> {
  await database.raw(PARK, { id });
}

/** SQL for the end of a quarantine of the module `changed`: what it has held back has as much time as any other delivery. */
export const RESTART_HELD = `
  update webhook_deliveries d set started_at = now(), attempts = 0 from webhooks w, changed
  where w.module_id = changed.id and d.webhook_id = w.id and w.status = 'enabled'`;
