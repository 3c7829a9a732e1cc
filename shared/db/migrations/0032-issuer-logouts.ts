import type { Knex } from 'knex';

/** Which of its sessions an issuer has ended, for sign-ins that were under way. */
export const name = '0032-issuer-logouts';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table used_token_ids
      -- Of a logout token: what it ended, and when. Without a session it ended all of the person until then.
      add column issuer_session_id text,
      add column issuer_subject text,
      add column issued_at timestamptz(3);
  `);
}
