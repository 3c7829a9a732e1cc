import type { Knex } from 'knex';

/** Why attempts at an import failed, and which failed imports an operator has dismissed. */
export const name = '0009-import-failures';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table imports
      -- Its failed attempts since it was queued, for operators: step, cause and time of the last, their number, time of the first.
      add column failure jsonb,
      -- When an operator took the failed import off the list of what needs them; null: it is on the list.
      add column dismissed_at timestamptz(3);
  `);
}
