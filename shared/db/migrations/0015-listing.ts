import type { Knex } from 'knex';

/** The countries of organizations, and what farmers consented to. */
export const name = '0015-listing';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    -- ISO 3166-1 alpha-2; null: not known.
    alter table organizations add column country_code text;

    -- The SHA-256 of each terms file that the farmer accepted, in hexadecimal digits.
    alter table installations add column accepted_terms text[] not null default '{}';

    -- What farmers consented to. Rows are only added.
    create table consents (
      id uuid primary key,
      organization_id uuid not null references organizations,
      module_id uuid not null references modules,
      revision integer not null,
      -- The data areas that were accepted.
      data_area_ids uuid[] not null,
      -- The terms files that were accepted: path, SHA-256, media type, country and language of each.
      terms jsonb not null,
      -- The subject of the token.
      given_by text not null,
      trace_id text not null,
      created_at timestamptz(3) not null default now()
    );
  `);
}
