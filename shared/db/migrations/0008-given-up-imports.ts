import type { Knex } from 'knex';

/** Operators list the failed imports of all organizations: few among very many. */
export const name = '0008-given-up-imports';

/** Making the index reads the table once, about a second for each GB, while imports wait. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index imports_given_up on imports (status, created_at desc, id desc) where status in ('failed', 'cancelled')`);
}
