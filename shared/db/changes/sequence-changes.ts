import type { Database } from '../database.ts';
import { queryRows } from '../statement.ts';

/** Any number, the same in every version: the process that has the lock gives positions, the others wait. */
export const SEQUENCER_LOCK = 7_245_002;

/*
 * All rows that are visible now, in the order in which they were written, get the next positions. Everything that was
 * committed before a visible row is visible too, so no row that comes later was committed earlier, and a transaction
 * that takes long delays nobody. An organization's modules are looked up here, after the commit: a module that is
 * installed while structures are written is notified of the change, or reads them with the change. A webhook that is
 * paused is noted too: it may be enabled at the same time.
 */
const SEQUENCE = `
  with taken as (
    delete from outbox returning *
  ), sequenced as (
    insert into changes (module_id, organization_id, type, at, subject)
    select module_id, organization_id, type, at, subject
    from (
      select coalesce(t.module_id, i.module_id) as module_id, t.organization_id, t.type, t.at, t.subject, t.sequence
      from taken t left join installations i on t.module_id is null and i.organization_id = t.organization_id
    ) as concerned
    where module_id is not null
    order by sequence, module_id
    returning module_id
  ), behind as (
    insert into webhooks_behind (webhook_id)
    select id from webhooks where module_id in (select module_id from sequenced)
  )
  select distinct module_id from sequenced`;

/** Gives positions to all changes that are committed; returns the modules that they concern. */
export async function sequenceChanges(database: Database): Promise<readonly string[]> {
  const rows = await queryRows<{ isWaiting: boolean }>(
    database,
    'select exists (select from outbox) as is_waiting',
  );
  if (rows[0]?.isWaiting !== true) return [];
  return database.transaction(async (transaction) => {
    await transaction.raw(`select pg_advisory_xact_lock(${SEQUENCER_LOCK})`);
    // A statement of its own: it sees what the previous holder of the lock has committed.
    const sequenced = await queryRows<{ moduleId: string }>(transaction, SEQUENCE);
    return sequenced.map(({ moduleId }) => moduleId);
  });
}
