import type { Knex } from 'knex';

/** Members of organizations that are kept here, groups of the issuer that are mapped to roles, and invitations. */
export const name = '0006-memberships';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    create table members (
      id uuid primary key,
      organization_id uuid not null references organizations,
      -- A subject is unique at its issuer only.
      issuer text not null,
      subject text not null,
      roles text[] not null check (cardinality(roles) > 0),
      -- As the administrator named the person; the issuer's tokens need not have a name.
      name text,
      created_by text not null,
      created_at timestamptz(3) not null default now(),
      updated_by text not null,
      updated_at timestamptz(3) not null default now(),
      unique (organization_id, issuer, subject)
    );

    create table organization_groups (
      organization_id uuid not null references organizations,
      issuer text not null,
      -- Without the slash that some issuers start it with.
      name text not null,
      role text not null,
      created_by text not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, issuer, name)
    );

    create table invitations (
      id uuid primary key,
      organization_id uuid not null references organizations,
      -- Of the secret in the link only its SHA-256 is stored.
      secret_sha256 bytea not null unique,
      role text not null,
      name text,
      created_by text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      -- Who used it; kept until it expires, so that the same person may repeat the call.
      accepted_by text,
      accepted_at timestamptz(3)
    );
  `);
}
