import type { Knex } from 'knex';

/** Sessions of the portal and the queue dashboard, and when each scheduled task is due. */
export const name = '0003-operations';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Operators signed in at the queue dashboard. Of the cookie only the SHA-256 is kept.
    create table operator_sessions (
      token_sha256 bytea primary key,
      subject text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null
    );

    -- Who is signed in at the portal. The tokens are sealed with the cookie's secret, which is not here.
    create table portal_sessions (
      token_sha256 bytea primary key,
      subject text not null,
      sealed bytea not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null
    );

    -- When each scheduled task is due, so that of many workers one does it.
    create table duties (name text primary key, due_at timestamptz not null);
  `);
}
