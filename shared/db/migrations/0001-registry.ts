import type { Knex } from 'knex';

/** Organizations, imports, modules, and the files that modules are made of. */
export const name = '0001-registry';

const ORGANIZATIONS = `
  create table organizations (
    id uuid primary key,
    tenant_id uuid not null,
    kind text not null check (kind in ('vendor', 'farmer')),
    name text not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  create index organizations_newest on organizations (created_at desc, id desc);
`;

const MODULES = `
  create table modules (
    id uuid primary key,
    organization_id uuid not null references organizations,
    tenant_id uuid not null,
    scope text,
    current_revision integer not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    -- A deleted module keeps its row: its ID stays the owner's for ever.
    deleted_at timestamptz(3)
  );
  -- Decides which of two imports that race for one scope wins.
  create unique index modules_scope on modules (tenant_id, scope) where scope is not null and deleted_at is null;
  create index modules_newest on modules (organization_id, created_at desc, id desc);

  create table module_revisions (
    module_id uuid not null references modules,
    revision integer not null check (revision > 0),
    organization_id uuid not null references organizations,
    import_id uuid not null,
    -- The descriptor in normal form, after translations were merged.
    descriptor jsonb not null,
    roles jsonb,
    alert_rules jsonb,
    -- SHA-256 of the normal form and of every file: equal means that an import changes nothing.
    fingerprint bytea not null,
    created_at timestamptz(3) not null default now(),
    primary key (module_id, revision)
  );
`;

const FILES = `
  create table stored_files (
    object_key uuid primary key,
    -- Null while a large file is on its way and its content is not known yet.
    sha256 bytea unique,
    size_bytes bigint not null,
    -- Null until the object is known to be whole.
    stored_at timestamptz(3),
    -- Collection leaves what an import has touched of late.
    touched_at timestamptz(3) not null default now()
  );
  create index stored_files_touched on stored_files (touched_at);

  -- Objects whose rows are gone; collection removes them, and only then forgets them.
  create table doomed_objects (
    storage_key text primary key,
    doomed_at timestamptz(3) not null default now()
  );

  create table module_files (
    module_id uuid not null,
    revision integer not null,
    path text not null,
    size_bytes bigint not null,
    media_type text not null,
    sha256 bytea not null,
    -- The foreign key refuses a revision whose files are not all stored.
    object_key uuid not null references stored_files,
    primary key (module_id, revision, path),
    foreign key (module_id, revision) references module_revisions
  );
  create index module_files_object on module_files (object_key);
`;

const IMPORTS = `
  create table imports (
    id uuid primary key,
    organization_id uuid not null references organizations,
    tenant_id uuid not null,
    status text not null default 'queued'
      check (status in ('queued', 'running', 'succeeded', 'rejected', 'failed', 'cancelled')),
    validate_only boolean not null,
    -- Revisions that the request's If-Match allows; null: any.
    expected_revisions integer[],
    -- The ID that a new module gets, fixed beforehand: a job that runs twice makes one module.
    new_module_id uuid not null,
    -- The attempt that may end the import.
    run_id uuid,
    file_name text,
    size_bytes bigint not null,
    sha256 bytea not null,
    upload_key text,
    trace_id text not null,
    outcome text check (outcome in ('created', 'updated', 'unchanged')),
    module_id uuid,
    revision integer,
    errors jsonb not null default '[]',
    warnings jsonb not null default '[]',
    errors_total integer not null default 0,
    progress_step text not null default 'queued',
    progress_completed bigint not null default 0,
    progress_total bigint not null default 0,
    -- Counts the changes of the row: the ID of its events.
    version integer not null default 1,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    -- When it failed for the first time; it may have been retried since.
    failed_at timestamptz(3)
  );
  create index imports_newest on imports (organization_id, created_at desc, id desc);
  create index imports_newest_of_all on imports (created_at desc, id desc);
  create index imports_unfinished on imports (updated_at) where status in ('queued', 'running');
  create index imports_of_module on imports (module_id, created_at) where module_id is not null;
  create index imports_uploads on imports (finished_at) where upload_key is not null;

  create table idempotency_keys (
    organization_id uuid not null references organizations,
    key text not null,
    fingerprint bytea not null,
    import_id uuid not null references imports on delete cascade,
    expires_at timestamptz(3) not null,
    primary key (organization_id, key)
  );
  create index idempotency_keys_expiry on idempotency_keys (expires_at);
  create index idempotency_keys_import on idempotency_keys (import_id);
`;

const SESSIONS = `
  -- Operators signed in at the queue dashboard. Of the cookie only the SHA-256 is kept.
  create table operator_sessions (
    token_sha256 bytea primary key,
    subject text not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null
  );
`;

export async function up(knex: Knex): Promise<void> {
  for (const statements of [ORGANIZATIONS, MODULES, FILES, IMPORTS, SESSIONS]) await knex.raw(statements);
}
