/** Imports, and the idempotency keys of requests. */
export const IMPORTS = `
  create table imports (
    id uuid primary key,
    organization_id uuid not null references organizations,
    tenant_id uuid not null,
    -- The subject of the token that uploaded the package.
    imported_by text not null,
    -- The authority on which it acts: checked again when it writes.
    authority jsonb not null default '{"kind": "token"}',
    -- The access token of a trusted publisher with which it was uploaded; it alone may read it.
    publisher_token_id uuid,
    -- The run of the trusted publisher; its access token is deleted earlier. Null: a person uploaded it.
    publisher jsonb,
    status text not null default 'queued'
      check (status in ('queued', 'running', 'succeeded', 'rejected', 'failed', 'cancelled')),
    validate_only boolean not null,
    -- Whether the upload asked for a staged revision.
    staged boolean not null,
    -- Whether the package may give the module another scope.
    rename_scope boolean not null default false,
    -- Revisions that the request's If-Match allows; null: any.
    expected_revisions integer[],
    -- The only module that the import may change; null: any of its organization.
    only_module_id uuid,
    -- The ID that a new module gets, fixed beforehand: a job that runs twice creates one module.
    new_module_id uuid not null,
    -- The attempt that may end the import.
    run_id uuid,
    -- How often an operator has queued it again. Each time has a job of its own; earlier jobs change nothing.
    retries integer not null default 0,
    -- The job that runs it beside others, once; null: it has had a job of its own from the start.
    group_id uuid,
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
    -- Once it has succeeded: whether its revision is the one released to everyone.
    released boolean not null default true,
    errors jsonb not null default '[]',
    warnings jsonb not null default '[]',
    errors_total integer not null default 0,
    -- Of a rejected package with more errors than are listed: [{ code, count }].
    unlisted_errors jsonb not null default '[]',
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
    failed_at timestamptz(3),
    -- Its failed attempts since it was queued, for operators: step, cause and time of the last, their number, time of the first.
    failure jsonb,
    -- When an operator took the failed import off the list of what needs them; null: it is on the list.
    dismissed_at timestamptz(3),
    -- The rules of the registry check it first; this keeps the restriction of a trusted publisher in any case.
    constraint imports_only_module check (module_id = only_module_id)
  );
  -- The acceptance order of the newest import; 0: there was none.
  create function newest_import() returns bigint language sql as $$
    select case when is_called then last_value else 0 end from imports_acceptance_order_seq $$;

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
  create index imports_archives on imports (coalesce(failed_at, finished_at))
    where archive_key is not null and finished_at is not null;
  create index imports_unused on imports (finished_at)
    where archive_key is not null and finished_at is not null
      and (status = 'cancelled' or (validate_only and status in ('succeeded', 'rejected')));
  create index imports_without_archive on imports (finished_at) where archive_key is null;
  create index imports_stored on imports (organization_id) include (size_bytes) where archive_key is not null;

  -- Every stored object, with its organization: the sum of its bytes is what the organization stores.
  create view stored_archives as
    select organization_id, 'upload' as kind, archive_key, size_bytes as bytes, null::uuid as module_id
      from imports where archive_key is not null
    union all select organization_id, 'revision', archive_key, archive_bytes, module_id from module_revisions
    union all select organization_id, 'freed', archive_key, archive_bytes, module_id from freed_archives;

  create table idempotency_keys (
    organization_id uuid not null references organizations,
    key text not null,
    -- SHA-256 of the request.
    fingerprint bytea not null,
    -- The import that an upload has made; null: another request.
    import_id uuid references imports on delete cascade,
    -- How any other request was answered, without secrets: it is written in the transaction that claims the key.
    answer json,
    expires_at timestamptz(3) not null,
    primary key (organization_id, key)
  );
  create index idempotency_keys_expiry on idempotency_keys (expires_at);
  create index idempotency_keys_import on idempotency_keys (import_id) where import_id is not null;
`;
