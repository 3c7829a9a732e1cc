import type { Knex } from 'knex';

/** How often a module is expected to report a rule, and when it last did. */
export const name = '0030-reported-rules';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table alert_rules
      -- As the definitions that validated the rule declare it; null: they declare none.
      add column expected_interval_hours integer,
      -- Up to a minute before the last report; null: there was none.
      add column reported_at timestamptz(3);
  `);
}
