/** Organizations, their members, the issuers' groups that have roles in them, and invitations. */
export const ORGANIZATIONS = `
  create table organizations (
    id uuid primary key,
    tenant_id uuid not null,
    kind text not null check (kind in ('vendor', 'farmer')),
    name text not null,
    -- ISO 3166-1 alpha-2; null: not known.
    country_code text,
    -- Whether an operator has checked who it is.
    verified boolean not null default false,
    created_by text not null,
    updated_by text not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    -- A deleted organization keeps its row: its ID is not used again.
    deleted_at timestamptz(3),
    deleted_by text,
    deletion_trace_id text,
    -- When nothing of it was left to delete.
    cleared_at timestamptz(3)
  );
  create index organizations_newest on organizations (created_at desc, id desc);
  create index organizations_uncleared on organizations (deleted_at)
    where deleted_at is not null and cleared_at is null;

  -- The organizations that an operator has suspended. A table of its own: an operator waits for nobody who holds the
  -- organization's row.
  create table suspensions (
    organization_id uuid primary key references organizations,
    suspended_at timestamptz(3) not null default now(),
    reason text not null,
    -- Whether farmers that have its modules installed keep them.
    farmers_keep_access boolean not null
  );

  -- The organizations of which an operator has set limits; those that are missing are the deployment's. All of them are
  -- read at once.
  create table organization_limits (
    organization_id uuid primary key references organizations,
    limits jsonb not null
  );

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
  create index members_person on members (issuer, subject);
  create index members_newest on members (organization_id, created_at, id);

  -- The people who have called for an organization, members by a record of this service or not.
  create table people (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations,
    issuer text not null,
    subject text not null,
    -- As the issuer named the person; null: it does not.
    name text,
    -- By claims of the token or by groups, when the person was last seen.
    roles text[] not null,
    created_at timestamptz(3) not null default now(),
    -- To within an hour.
    seen_at timestamptz(3) not null default now(),
    unique (organization_id, issuer, subject)
  );
  create index people_seen on people (seen_at);

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
  create index organization_groups_name on organization_groups (issuer, name);

  create table invitations (
    id uuid primary key,
    organization_id uuid not null references organizations,
    -- Of the secret in the link only its SHA-256 is stored.
    secret_sha256 bytea not null unique,
    role text not null,
    name text,
    created_by text not null,
    -- Of its maker: an invitation is good for as long as that holds.
    authority jsonb not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    -- The person who used it, who may repeat the call until it expires. Of invitations that cannot be used any more, the
    -- newest are kept, as many as may be open.
    accepted_by text,
    accepted_at timestamptz(3)
  );
  create index invitations_newest on invitations (organization_id, created_at, id);
  create index invitations_expiry on invitations (expires_at);
`;
