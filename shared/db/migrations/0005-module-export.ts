import type { Knex } from 'knex';

/** What an export tells of a file before its bytes. */
export const name = '0005-module-export';

export async function up(knex: Knex): Promise<void> {
  // Null in revisions from before this column: their first export reads the file for it.
  await knex.raw('alter table module_files add column crc32 bigint');
}
