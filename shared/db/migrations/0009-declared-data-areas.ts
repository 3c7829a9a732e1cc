import type { Knex } from 'knex';

/** Each read with a key needs a revision's data areas, and nothing else of its descriptor. */
export const name = '0009-declared-data-areas';

/** A descriptor may be a megabyte, stored out of line: reading its data areas would read all of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table module_revisions
      add column data_area_ids jsonb generated always as (descriptor -> 'dataAreaIds') stored`);
}
