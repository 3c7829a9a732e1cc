/** The audit log, deployments, the check values of encryption keys, and the leases of scheduled tasks. */
export const OPERATIONS = `
  create table audit_log (
    id uuid primary key,
    -- The organization whose log shows the entry.
    organization_id uuid not null references organizations,
    created_at timestamptz(3) not null default now(),
    -- The subject of the token.
    actor text not null,
    action text not null,
    module_id uuid,
    client_id uuid,
    -- The import, alert rule, alert or invitation.
    target_id uuid,
    -- The names at that time: an entry stays readable when what it names is renamed or deleted. Null: not known.
    organization_name text,
    actor_name text,
    module_name text,
    target_name text,
    details jsonb,
    trace_id text not null
  );
  create index audit_log_newest on audit_log (organization_id, created_at desc, id desc);
  create index audit_log_newest_of_all on audit_log (created_at desc, id desc);
  create index audit_log_of_actor on audit_log (actor, created_at desc, id desc);
  create index audit_log_of_module on audit_log (module_id, created_at desc, id desc) where module_id is not null;
  -- Without the two that make up most of the log: these are found as fast in the order of time.
  create index audit_log_of_action on audit_log (action, created_at desc, id desc)
    where action not in ('import.accepted', 'structures.written');

  -- Each has a prefix in the storage, and belongs to the database with this number in this system. A copy of the
  -- database is another one: it removes nothing under the prefixes that it was copied with.
  create table deployments (
    id uuid primary key default gen_random_uuid(),
    system_identifier bigint not null,
    database_oid oid not null,
    created_at timestamptz(3) not null default now()
  );

  -- Each ID that ENCRYPTION_KEYS has had, with an HMAC by its key: another key under the ID is noticed at start.
  create table encryption_key_checks (
    key_id text primary key,
    check_value bytea not null
  );

  -- One lease for each scheduled task: one of many workers runs it.
  create table leases (
    name text primary key,
    due_at timestamptz not null default now(),
    -- The process that runs the task; null: none. Its lease ends at expires_at.
    holder uuid,
    expires_at timestamptz not null
  );
`;
