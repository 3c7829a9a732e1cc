import type { Knex } from 'knex';

/** Sessions, and when each scheduled task is due. */
export const name = '0003-operations';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Who is signed in. The tokens are sealed with the cookie's secret, of which only the SHA-256 is here.
    create table sessions (
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
