import type { Knex } from 'knex';

/** Organizations, modules with their revisions and files, and imports. */
export const name = '0001-registry';

const ORGANIZATIONS = `
  create table organizations (
    id uuid primary key,
    tenant_id uuid not null,
    kind text not null check (kind in ('vendor', 'farmer')),
    name text not null,
    created_by text not null default 'unknown',
    updated_by text not null default 'unknown',
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
    -- A deleted module keeps its row: its ID stays the owner's permanently.
    deleted_at timestamptz(3),
    deleted_by text
  );
  -- Decides which of two imports that race for one scope wins.
  create unique index modules_scope on modules (tenant_id, scope) where scope is not null and deleted_at is null;
  create index modules_newest on modules (organization_id, created_at desc, id desc);
  -- The modules that a tenant's farmers can install, newest first.
  create index modules_on_offer on modules (tenant_id, created_at desc, id desc) where deleted_at is null;

  create table module_revisions (
    module_id uuid not null references modules,
    revision integer not null check (revision > 0),
    organization_id uuid not null references organizations,
    import_id uuid not null,
    -- The descriptor in normal form, after translations were merged, without the values of environment variables.
    descriptor jsonb not null,
    -- The environment variables with their values, encrypted.
    environment bytea not null default '',
    -- The data areas that it requests: every read of the module's back end checks this.
    data_area_ids jsonb not null generated always as (descriptor -> 'dataAreaIds') stored,
    roles jsonb,
    -- json keeps the order in which the vendor wrote the parts of the form; jsonb sorts them.
    alert_rules json,
    -- SHA-256 of the normal form and of every file, encrypted: equal means that an import changes nothing.
    fingerprint bytea not null,
    -- SHA-256 of how each file is compressed: with the fingerprint it decides the bytes of an export.
    packing bytea not null,
    -- The uploaded archive: the content of every file of this revision, and of no other.
    archive_key text not null unique,
    archive_bytes bigint not null,
    archive_sha256 bytea not null,
    created_at timestamptz(3) not null default now(),
    primary key (module_id, revision)
  );

  -- The index of a revision's archive: one row for each file that can be read.
  create table module_files (
    module_id uuid not null,
    revision integer not null,
    path text not null,
    media_type text not null,
    size_bytes bigint not null,
    sha256 bytea not null,
    crc32 bigint not null,
    method text not null check (method in ('stored', 'deflate')),
    -- Where its compressed data is in the archive.
    data_offset bigint not null,
    packed_bytes bigint not null,
    packed_crc32 bigint not null,
    primary key (module_id, revision, path),
    foreign key (module_id, revision) references module_revisions
  );
  -- The portal names images by their content.
  create index module_files_images on module_files (sha256)
    where starts_with(path, 'ModuleLogo/') or starts_with(path, 'ModuleImage/');
`;

const IMPORTS = `
  create table imports (
    id uuid primary key,
    organization_id uuid not null references organizations,
    tenant_id uuid not null,
    -- The subject of the token that uploaded the package.
    imported_by text not null default 'unknown',
    status text not null default 'queued'
      check (status in ('queued', 'running', 'succeeded', 'rejected', 'failed', 'cancelled')),
    validate_only boolean not null,
    -- Revisions that the request's If-Match allows; null: any.
    expected_revisions integer[],
    -- The ID that a new module gets, fixed beforehand: a job that runs twice creates one module.
    new_module_id uuid not null,
    -- The attempt that may end the import.
    run_id uuid,
    -- How often an operator has queued it again. Each time has a job of its own; earlier jobs change nothing.
    retries integer not null default 0,
    file_name text,
    size_bytes bigint not null,
    sha256 bytea not null,
    -- The uploaded archive, until a revision takes it over or it is no longer kept.
    archive_key text,
    trace_id text not null,
    -- W3C traceparent of the span that stored the upload.
    trace_parent text not null,
    outcome text check (outcome in ('created', 'updated', 'unchanged')),
    module_id uuid,
    -- Which module a rejected package named, of whatever owner: for the list of imports and nothing else.
    named_module_id uuid,
    revision integer,
    errors jsonb not null default '[]',
    warnings jsonb not null default '[]',
    errors_total integer not null default 0,
    progress_step text not null default 'queued',
    progress_completed bigint not null default 0,
    progress_total bigint not null default 0,
    -- Number of changes of the row: the ID of its events.
    version integer not null default 1,
    -- The order in which imports were accepted: an earlier one never replaces a later one.
    acceptance_order bigint not null generated always as identity,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    queued_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    finished_at timestamptz(3),
    -- When it failed for the first time; it may have been retried since.
    failed_at timestamptz(3)
  );
  create index imports_newest on imports (organization_id, created_at desc, id desc);
  create index imports_newest_of_all on imports (created_at desc, id desc);
  -- The sweep reads the oldest of a status, page by page.
  create index imports_unfinished on imports (status, updated_at, id) where status in ('queued', 'running');
  create index imports_of_module on imports (module_id, acceptance_order) where module_id is not null;
  create index imports_naming_module on imports (named_module_id, created_at) where named_module_id is not null;
  -- Statuses that are rare among an organization's imports, and among all.
  create index imports_newest_of_status on imports (organization_id, status, created_at desc, id desc)
    where status in ('rejected', 'failed', 'cancelled');
  create index imports_failed_or_cancelled on imports (status, created_at desc, id desc) where status in ('failed', 'cancelled');
  -- The collection's: each has only the rows that its statement may change, oldest first.
  create index imports_archives on imports (finished_at) where archive_key is not null and finished_at is not null;
  create index imports_validated on imports (finished_at)
    where archive_key is not null and validate_only and status in ('succeeded', 'rejected', 'cancelled');
  create index imports_without_archive on imports (finished_at) where archive_key is null;

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

export async function up(knex: Knex): Promise<void> {
  for (const statements of [ORGANIZATIONS, MODULES, IMPORTS]) await knex.raw(statements);
}
