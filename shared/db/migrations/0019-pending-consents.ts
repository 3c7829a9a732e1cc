import type { Knex } from 'knex';

/** Which revision a module's back end was last notified of as needing another consent. */
export const name = '0019-pending-consents';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table installations
      -- The visible revision that needed another consent when it became visible; null: it needed none.
      add column pending_revision integer;
  `);
}
