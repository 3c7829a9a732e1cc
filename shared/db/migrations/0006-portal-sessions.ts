import type { Knex } from 'knex';

/** Who is signed in at the portal. The tokens are sealed with the cookie's secret, which is not here. */
export const name = '0006-portal-sessions';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table portal_sessions (
      token_sha256 bytea primary key,
      subject text not null,
      sealed bytea not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null
    )`);
}
