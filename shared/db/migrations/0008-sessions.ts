import type { Knex } from 'knex';

/** What sessions need to be refreshed, limited, listed, and ended by the issuer. */
export const name = '0008-sessions';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table sessions
      -- What its owner calls it by; the hash of the cookie's secret is never shown.
      add column id uuid not null default gen_random_uuid(),
      -- What the browser said it was; null: nothing that is known.
      add column browser text,
      add column operating_system text,
      add column last_used_at timestamptz(3) not null default now(),
      -- The session ends then, however much it is used; expires_at moves towards it with each use.
      add column ends_at timestamptz(3),
      -- Null: the issuer gave no refresh token, and the session ends with its access token.
      add column sealed_refresh_token bytea,
      -- From when on a request refreshes the access token. The one that does moves it ahead, so that no other does too.
      add column refresh_at timestamptz(3),
      -- The session and the person at the issuer, as the ID token names them, for back-channel logout.
      add column issuer_session_id text,
      add column issuer_subject text;
  `);
}
