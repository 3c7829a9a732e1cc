import type { Knex } from 'knex';

/** Trusted publishers, their access tokens, and what an import with such a token may do. */
export const name = '0004-trusted-publishing';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    -- Whose tokens may be exchanged for an access token of the module.
    create table trusted_publishers (
      id uuid primary key,
      organization_id uuid not null references organizations,
      module_id uuid not null references modules,
      -- In the order of the vendor's list, from 0.
      position integer not null,
      issuer text not null,
      audience text not null,
      -- Each must be equal in a token.
      claims jsonb not null,
      created_by text not null,
      created_at timestamptz(3) not null default now(),
      unique (module_id, position)
    );

    create table publisher_tokens (
      -- Of the token only its SHA-256 is stored.
      token_sha256 bytea primary key,
      id uuid not null unique,
      -- The tokens of a publisher end with it.
      publisher_id uuid not null references trusted_publishers on delete cascade,
      organization_id uuid not null references organizations,
      module_id uuid not null references modules,
      -- What it was exchanged for, as the issuer's token named it; null: it did not.
      issuer text not null,
      subject text,
      repository text,
      commit text,
      run text,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null
    );

    -- The issuers' tokens that were exchanged. The primary key decides which of two equal exchanges wins.
    create table used_token_ids (
      issuer text not null,
      jti text not null,
      expires_at timestamptz(3) not null,
      primary key (issuer, jti)
    );

    alter table imports
      -- The only module that the import may change; null: any of its organization.
      add column only_module_id uuid,
      -- The access token of a trusted publisher with which it was uploaded; it alone may read it.
      add column publisher_token_id uuid,
      -- A worker of the previous version does not know the restriction: its import fails instead.
      add constraint imports_only_module check (module_id = only_module_id) not valid;
  `);
}
