import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { onlyRow, preparedStatement } from '../statement.ts';
import { valuesInTurn } from './turns.ts';

/** The most webhooks whose deliveries are made at once, and the most changes of each of them. */
const WEBHOOKS = 200;
const BATCH = 100;
/** A webhook that fails collects no more: its further changes wait where they are. */
export const MAX_PENDING = 10_000;
/** The most deliveries that become due at once. */
const RETURNING = 1_000;

/*
 * Workers take different webhooks, each organization's as many as any other's. One that is locked, because it is being
 * changed, delays no other: it is taken later.
 */
const MAKE = `
  with recursive line as (
    ${valuesInTurn('line', { table: 'webhooks_behind', where: 'true', column: 'organization_id' }, String(WEBHOOKS))}
  ), share as materialized (
    select ceil(${WEBHOOKS}.0 / greatest(count(*), 1))::int as size from line
  ), taken as materialized (
    select b.organization_id, b.id, b.webhook_id from line l cross join lateral (
      select * from webhooks_behind where organization_id = l.organization_id
      order by id limit (select size from share) for update skip locked) b
  ), locked as materialized (
    select * from webhooks where id in (select webhook_id from taken) for no key update skip locked
  ), room as (
    select w.id, w.organization_id, w.module_id, w.types, w.position, least(${BATCH}, ${MAX_PENDING} - (
      select count(*) from (select from webhook_deliveries where webhook_id = w.id limit ${MAX_PENDING}) pending
    )) as size from locked w where w.status = 'enabled'
  ), fresh as (
    select w.id as webhook_id, w.organization_id, w.types, c.* from room w cross join lateral (
      select id as event_id, position, type from changes c
      where c.module_id = w.module_id and c.position > w.position
      order by c.position limit w.size) c
  ), made as (
    insert into webhook_deliveries (webhook_id, event_id, organization_id, position)
    select webhook_id, event_id, organization_id, position from fresh where types is null or type = any(types)
    on conflict do nothing
  ), progress as (
    select webhook_id, organization_id, max(position) as last, count(*) = ${BATCH} as has_more
    from fresh group by webhook_id, organization_id
  ), moved as (
    update webhooks set position = p.last from progress p where webhooks.id = p.webhook_id
  ), more as (
    insert into webhooks_behind (organization_id, webhook_id)
    select organization_id, webhook_id from progress where has_more returning id
  ), done as (
    delete from webhooks_behind b using taken t
    where b.organization_id = t.organization_id and b.id = t.id and (
      t.webhook_id in (select id from locked) or not exists (select from webhooks w where w.id = t.webhook_id))
    returning b.organization_id
  ), returned as (
    update webhook_deliveries set is_due = true, due_at = null
    where ctid = any(array(
      select ctid from webhook_deliveries where due_at <= now() order by due_at limit ${RETURNING} for update skip locked))
    returning event_id
  )
  select exists (select from more)
    or exists (select from done group by organization_id having count(*) >= (select size from share))
    or (select count(*) from returned) = ${RETURNING} as has_more`;

const IS_ANY_DUE = preparedStatement(`
  select exists (select from webhooks_behind)
    or exists (select from webhook_deliveries where is_due)
    or exists (select from webhook_deliveries where due_at <= now()) as is_due`);

/** Whether deliveries are to be made or called now. It costs a hundredth of looking for them, and most often there are none. */
export async function isAnyDeliveryDue(database: Database): Promise<boolean> {
  return (await onlyRow<{ isDue: boolean }>(database, IS_ANY_DUE)).isDue;
}

/**
 * Makes the deliveries of the next changes of webhooks, and has those due whose time has come; returns whether there are
 * more to be made at once.
 */
export async function makeDeliveries(database: Database): Promise<boolean> {
  return (await onlyRow<{ hasMore: boolean }>(database, MAKE, { start: randomUUID() })).hasMore;
}
