import type { Knex } from 'knex';

/** Sessions, deployments, and the leases of scheduled tasks. */
export const name = '0003-operations';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Who is signed in. The tokens are sealed with the cookie's secret, of which only the SHA-256 is stored.
    create table sessions (
      token_sha256 bytea primary key,
      subject text not null,
      sealed bytea not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null
    );
    create index sessions_expiry on sessions (expires_at);

    -- Each has a prefix in the storage, and belongs to the database with this number in this system. A copy of the
    -- database is another one: it removes nothing under the prefixes that it was copied with.
    create table deployments (
      id uuid primary key default gen_random_uuid(),
      system_identifier bigint not null,
      database_oid oid not null,
      created_at timestamptz(3) not null default now()
    );

    -- One lease for each scheduled task, until it is due again: one of many workers runs it.
    create table leases (name text primary key, expires_at timestamptz not null);
  `);
}
