import type { Knex } from 'knex';

/** Which module a rejected package named, so that its import is found beside the module's others. */
export const name = '0007-named-module';

/** The index begins empty, but making it reads the table once, about a second for each GB, while imports wait. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What the package says, whoever the module belongs to: good for the list of imports and nothing else.
    alter table imports add column named_module_id uuid;
    create index imports_naming_module on imports (named_module_id, created_at) where named_module_id is not null`);
}
