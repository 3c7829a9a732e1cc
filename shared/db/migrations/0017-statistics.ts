import type { Knex } from 'knex';

/** The numbers that vendors and operators read, rolled up. */
export const name = '0017-statistics';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    -- What a module did on a day in UTC: calls with its keys, and new alerts.
    create table module_days (
      module_id uuid not null references modules,
      kind text not null check (kind in ('calls', 'alerts')),
      day date not null,
      count bigint not null,
      primary key (module_id, kind, day)
    );

    -- What became of the imports of an hour: those that ended, by status; rejected ones, by the code of a problem; and
    -- the longest time in seconds for which one had waited, whenever that was measured.
    create table import_hours (
      hour timestamptz not null,
      kind text not null check (kind in ('ended', 'rejection', 'wait')),
      name text not null,
      value double precision not null,
      primary key (hour, kind, name)
    );
  `);
}
