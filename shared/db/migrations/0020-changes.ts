import type { Knex } from 'knex';

/** What modules' back ends receive: the changes in the order of their commits. */
export const name = '0020-changes';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    -- Written by the transaction that makes the change; moved to the table of changes after its commit.
    create table outbox (
      sequence bigint generated always as identity,
      type text not null,
      -- Null: every module that the organization has installed.
      module_id uuid,
      -- Null: the change concerns no single farmer.
      organization_id uuid,
      subject jsonb not null,
      at timestamptz(3) not null default now(),
      check (module_id is not null or organization_id is not null)
    );

    -- No foreign keys: changes outlive what they name.
    create table changes (
      -- Given after the commit, by one process at a time: the order of positions is the order of commits.
      position bigint generated always as identity primary key,
      id uuid not null unique default gen_random_uuid(),
      module_id uuid not null,
      organization_id uuid,
      type text not null,
      at timestamptz(3) not null,
      subject jsonb not null
    );

    -- One row: the last position that is no longer kept, and the start of the ID of its change.
    create table change_horizon (
      is_only boolean primary key default true check (is_only),
      position bigint not null,
      mark text
    );
    insert into change_horizon (position) values (0);

    -- When the vendor was notified that the key expires soon.
    alter table api_keys add column expiry_reported_at timestamptz(3);
  `);
}
