import type { Knex } from 'knex';

/** When scheduled tasks are due, and archives that no revision has any more, and deleted organizations. */
export const name = '0010-space';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table leases
      add column due_at timestamptz not null default now(),
      -- The process that runs the task; null: none. Its lease ends at expires_at.
      add column holder uuid;

    -- The archives of deleted revisions. They are kept for a while: downloads of them may still run.
    create table freed_archives (
      archive_key text primary key,
      archive_bytes bigint not null,
      module_id uuid not null references modules,
      -- To the microsecond: the collection must find what the same process has just freed.
      freed_at timestamptz not null default now()
    );

    alter table organizations
      -- A deleted organization keeps its row: its ID is not used again.
      add column deleted_at timestamptz(3),
      add column deleted_by text,
      add column deletion_trace_id text,
      -- When nothing of it was left to delete.
      add column cleared_at timestamptz(3);
  `);
}
