import type { Knex } from 'knex';

/** How many organizations have a module installed, for the market. */
export const name = '0031-module-installations';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    -- As workers counted them last.
    alter table modules add column installations integer not null default 0;
  `);
}
