import type { Knex } from 'knex';

/** When each periodic duty is due, so that of many workers one does it. */
export const name = '0004-duties';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('create table duties (name text primary key, due_at timestamptz not null)');
}
