import type { Knex } from 'knex';

/** Sessions, and the leases of scheduled tasks. */
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

    -- One lease for each scheduled task, until it is due again: one of many workers runs it.
    create table leases (name text primary key, expires_at timestamptz not null);
  `);
}
