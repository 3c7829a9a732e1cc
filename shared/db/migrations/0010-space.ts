import type { Knex } from 'knex';

/** When scheduled tasks are due, and who runs them. */
export const name = '0010-space';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table leases
      add column due_at timestamptz not null default now(),
      -- The process that runs the task; null: none. Its lease ends at expires_at.
      add column holder uuid;
  `);
}
