/** API keys, trusted publishers, installations and consents. */
export const ACCESS = `
  create table api_keys (
    -- After a rotation a client has several keys.
    id uuid primary key,
    client_id uuid not null,
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    client_name text not null,
    -- Of the secret only its SHA-256 and its first characters are stored.
    secret_sha256 bytea not null unique,
    secret_start text not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    -- When the vendor was notified that the key expires soon.
    expiry_reported_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3)
  );
  create index api_keys_newest on api_keys (organization_id, module_id, created_at desc, id desc);
  create index api_keys_ended on api_keys (least(revoked_at, expires_at));
  create index api_keys_client on api_keys (client_id);
  create index api_keys_unreported on api_keys (expires_at) where revoked_at is null and expiry_reported_at is null;

  -- The requests with API keys.
  create table key_requests (
    id uuid primary key,
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    client_id uuid not null,
    key_id uuid not null,
    method text not null,
    -- With the names of its parameters.
    route text not null,
    -- The status of the answer; null: there was none.
    status integer,
    trace_id text not null,
    created_at timestamptz(3) not null
  );
  create index key_requests_newest on key_requests (organization_id, module_id, created_at desc, id desc);
  -- Some clients send few requests, and few fail: these lists would read all others.
  create index key_requests_client on key_requests (client_id, created_at desc, id desc);
  create index key_requests_failed on key_requests (organization_id, module_id, created_at desc, id desc)
    where status is null or status >= 400;
  create index key_requests_oldest on key_requests (created_at);

  -- What modules' back ends read of organizations: one row for each module, kind and day in UTC.
  create table data_reads (
    id uuid primary key,
    -- Whose data it is.
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    -- Its name then; null: not known.
    module_name text,
    kind text not null,
    -- The first read of the day.
    created_at timestamptz(3) not null
  );
  create unique index data_reads_day
    on data_reads (organization_id, module_id, kind, ((created_at at time zone 'UTC')::date));
  create index data_reads_newest on data_reads (organization_id, created_at desc, id desc);
  create index data_reads_oldest on data_reads (created_at);

  -- The workflows whose tokens may be exchanged for an access token of the module.
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
    -- The run, as the token that was exchanged named it; null: it did not.
    issuer text not null,
    subject text,
    repository text,
    workflow text,
    commit text,
    run text,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null
  );
  create index publisher_tokens_publisher on publisher_tokens (publisher_id);
  create index publisher_tokens_expiry on publisher_tokens (expires_at);

  create table installations (
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    -- The data areas that the farmer granted the module.
    accepted_data_area_ids uuid[] not null,
    -- The data areas that the module requested when the farmer decided: more than these need a new consent.
    offered_data_area_ids uuid[] not null,
    -- The revision that requested them.
    offered_revision integer not null,
    -- The same revision where the farmer's request named the offer that was seen; null: it named none.
    seen_revision integer,
    -- The SHA-256 of each terms file that the farmer accepted, in hexadecimal digits.
    accepted_terms text[] not null default '{}',
    -- The visible revision that needed another consent when it became visible; null: it needed none.
    pending_revision integer,
    -- The revision that the organization sees, as the feed of changes last reported it; null: none.
    reported_revision integer,
    -- The version of the areas and terms for which that was decided; null: not yet.
    requests_version text,
    created_by text not null,
    updated_by text not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    primary key (organization_id, module_id)
  );
  create index installations_module on installations (module_id, organization_id);

  -- The consents of farmers. Rows are only added.
  create table consents (
    id uuid primary key,
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    revision integer not null,
    -- The same revision where the request named the offer that was seen; null: it named none.
    seen_revision integer,
    -- The data areas that were accepted.
    data_area_ids uuid[] not null,
    -- The terms files that were accepted: path, SHA-256, media type, country and language of each.
    terms jsonb not null,
    -- The subject of the token.
    given_by text not null,
    trace_id text not null,
    created_at timestamptz(3) not null default now()
  );
  create index consents_newest on consents (organization_id, created_at desc, id desc);
  create index consents_module on consents (organization_id, module_id, created_at desc, id desc);
  create index consents_oldest on consents (created_at);

  -- Whether the organization in which an authority acts is suspended; an operator's is no member's. None of these functions
  -- is stable: a statement that has waited for a lock sees what was committed meanwhile. They are in PL/pgSQL because it
  -- keeps the plans of their queries: a function in SQL plans all of them for each call.
  create function authority_suspended(authority jsonb) returns boolean language plpgsql as $$
    declare
      acts_in uuid;
    begin
      case authority ->> 'kind'
        when 'publisher' then
          select p.organization_id into acts_in from trusted_publishers p where p.id = (authority ->> 'publisherId')::uuid;
        when 'apiKey' then
          select k.organization_id into acts_in from api_keys k where k.id = (authority ->> 'keyId')::uuid;
        when 'operator' then return false;
        else acts_in := (authority ->> 'organizationId')::uuid;
      end case;
      return exists (select from suspensions where organization_id = acts_in);
    end $$;

  -- Whether an authority has not been withdrawn, suspended or not; its forms are in shared/db/access/authority.ts.
  create function authority_granted(authority jsonb) returns boolean language plpgsql as $$
    begin
      case authority ->> 'kind'
        when 'token', 'operator' then
          return not exists (
            select from organizations where id = (authority ->> 'organizationId')::uuid and deleted_at is not null);
        when 'member' then
          return exists (
            select from members
            where organization_id = (authority ->> 'organizationId')::uuid and issuer = authority ->> 'issuer'
              and subject = authority ->> 'subject' and roles && array['OrganizationAdmin', authority ->> 'role'])
          or exists (
            select from organization_groups
            where organization_id = (authority ->> 'organizationId')::uuid and issuer = authority ->> 'issuer'
              and jsonb_exists(authority -> 'groups', name) and role in ('OrganizationAdmin', authority ->> 'role'));
        when 'publisher' then
          return exists (select from trusted_publishers where id = (authority ->> 'publisherId')::uuid);
        when 'apiKey' then
          return exists (
            select from api_keys k
            where k.id = (authority ->> 'keyId')::uuid and k.revoked_at is null and not exists (
              select from quarantines q where q.module_id = k.module_id and q.quarantined_at is not null));
        else return false;
      end case;
    end $$;

  -- Whether an authority has not been withdrawn, and is not suspended.
  create function authority_holds(authority jsonb) returns boolean language plpgsql as $$
    begin
      return not authority_suspended(authority) and authority_granted(authority);
    end $$;

  create function require_authority(authority jsonb) returns boolean language plpgsql as $$
    begin
      if authority_holds(authority) then return true; end if;
      raise exception 'the authority was withdrawn' using errcode = 'MI001', detail = case
        when authority_suspended(authority) then 'suspended'
        when exists (select from api_keys where id = (authority ->> 'keyId')::uuid and revoked_at is null)
          then 'quarantinedKey' else authority ->> 'kind' end;
    end $$;
`;
