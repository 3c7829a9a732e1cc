/** The webhooks of modules, what is to be delivered to them, and how each attempt ended. */
export const WEBHOOKS = `
  create table webhooks (
    id uuid primary key,
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    url text not null,
    -- Null: all.
    types text[],
    description text,
    status text not null default 'enabled' check (status in ('enabled', 'paused', 'disabled')),
    -- Why the service disabled it; null: it did not.
    disabled_reason text check (disabled_reason in ('gone', 'failing', 'key-missing')),
    disabled_at timestamptz(3),
    public_key text not null,
    -- The shared secret and the private key, encrypted; those before a rotation sign too until previous_until.
    sealed_keys bytea not null,
    previous_sealed_keys bytea,
    previous_until timestamptz(3),
    -- The changes up to this position have their deliveries.
    position bigint not null,
    -- The first of the attempts that all failed; null: the last one succeeded.
    failing_since timestamptz(3),
    last_failed_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  create index webhooks_module on webhooks (module_id, created_at desc, id desc);
  create index webhooks_organization on webhooks (organization_id);
  create index webhooks_key_missing on webhooks (id) where disabled_reason = 'key-missing';

  -- A row is deleted when its delivery has succeeded, or has failed for too long.
  create table webhook_deliveries (
    webhook_id uuid not null references webhooks on delete cascade,
    event_id uuid not null,
    -- Of the webhook: organizations take turns.
    organization_id uuid not null,
    -- Of the change; null: a test.
    position bigint,
    attempts integer not null default 0,
    started_at timestamptz not null default now(),
    -- Whether it is to be sent as soon as there is a slot.
    is_due boolean not null default true,
    -- When it becomes due: for the next attempt, or because the current one is lost. Null: it is due, or the webhook is
    -- not enabled, or the module is in quarantine.
    due_at timestamptz,
    primary key (webhook_id, event_id)
  );
  create index webhook_deliveries_due on webhook_deliveries (organization_id, webhook_id, position nulls first)
    where is_due;
  create index webhook_deliveries_later on webhook_deliveries (due_at) where due_at is not null;

  -- Webhooks with changes that may have no deliveries yet. Without a foreign key or a unique index, who adds a row waits
  -- for nobody.
  create table webhooks_behind (
    organization_id uuid not null,
    id bigint generated always as identity,
    webhook_id uuid not null,
    primary key (organization_id, id)
  );

  create table webhook_attempts (
    id uuid primary key,
    webhook_id uuid not null references webhooks on delete cascade,
    event_id uuid not null,
    type text not null,
    number integer not null,
    -- The status of the answer; null: there was none.
    status integer,
    -- Why there was none.
    error text,
    duration_ms integer not null,
    created_at timestamptz(3) not null default now()
  );
  create index webhook_attempts_newest on webhook_attempts (webhook_id, created_at desc, id desc);
  create index webhook_attempts_oldest on webhook_attempts (created_at);
`;
