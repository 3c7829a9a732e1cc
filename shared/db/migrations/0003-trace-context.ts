import type { Knex } from 'knex';

/** What a trace needs to cross the queue: the span that an import was uploaded in, and since when it waits. */
export const name = '0003-trace-context';

/** Both columns come without a rewrite of the table, and a process of the version before does without them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table imports
      -- W3C traceparent of the span that stored the upload; null in rows of the version before.
      add column trace_parent text,
      add column queued_at timestamptz(3) not null default now()
  `);
}
