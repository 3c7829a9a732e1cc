import type { Knex } from 'knex';

/** API keys, installations, farm structures, alert rules, alerts, and the audit log. */
export const name = '0002-machine-access';

const API_KEYS = `
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
    revoked_at timestamptz(3),
    last_used_at timestamptz(3)
  );
  create index api_keys_newest on api_keys (organization_id, module_id, created_at desc, id desc);
  create index api_keys_ended on api_keys (least(revoked_at, expires_at));
  create index api_keys_client on api_keys (client_id);

  create table audit_log (
    id uuid primary key,
    -- Whose log shows the entry.
    organization_id uuid not null references organizations,
    created_at timestamptz(3) not null default now(),
    -- The subject of the token.
    actor text not null,
    action text not null,
    module_id uuid,
    client_id uuid,
    -- The import, alert rule or alert.
    target_id uuid,
    details jsonb,
    trace_id text not null
  );
  create index audit_log_newest on audit_log (organization_id, created_at desc, id desc);
  create index audit_log_newest_of_all on audit_log (created_at desc, id desc);
  create index audit_log_of_actor on audit_log (actor, created_at desc, id desc);
  -- Without the two that make up most of the log: these are found as fast in the order of time.
  create index audit_log_of_action on audit_log (action, created_at desc, id desc)
    where action not in ('import.accepted', 'structures.written');
`;

const INSTALLATIONS = `
  create table installations (
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    -- The data areas that the farmer granted the module.
    accepted_data_area_ids uuid[] not null,
    -- The data areas that the module requested when the farmer decided: more than these need a new consent.
    offered_data_area_ids uuid[] not null,
    -- The revision that requested them.
    offered_revision integer not null default 1,
    created_by text not null default 'unknown',
    updated_by text not null default 'unknown',
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    primary key (organization_id, module_id)
  );
  create index installations_module on installations (module_id, organization_id);
`;

const STRUCTURES = `
  create table structures (
    organization_id uuid not null references organizations,
    id uuid not null,
    kind text not null check (kind in ('farm', 'field', 'block', 'irrigationStation')),
    status text not null check (status in ('active', 'archived')),
    -- The farm that it is or lies in; of a field its own ID, of a block its field's.
    farm_id uuid not null,
    field_id uuid,
    -- Its position in its farm: 0 the farm itself, 1 fields and blocks, 2 irrigation stations; within a
    -- field the field (0) before its blocks (1).
    section smallint not null,
    branch_id uuid not null,
    level smallint not null,
    -- Every member but the geometry, as compact JSON without the outer braces: answers are streams of these.
    members text not null,
    -- Compact GeoJSON: a farm's or field's boundary, a block's geometry, a station's location.
    geometry text,
    -- No foreign keys to the parents: checked row by row they make a bulk write quadratic, since the check's
    -- plan is kept from when the table was small. The one writer checks parents under the organization's lock.
    primary key (organization_id, id)
  );
  -- The order of every answer: farm, its fields each with its blocks, its irrigation stations.
  create unique index structures_in_order on structures (organization_id, farm_id, section, branch_id, level, id);

  -- The version of an organization's structures, from which ETags are made.
  create table structure_sets (
    organization_id uuid primary key references organizations,
    version bigint not null,
    structures integer not null,
    bytes bigint not null,
    -- The most that one structure ever had: how many are read at once depends on it.
    largest_bytes integer not null,
    -- Null before the first structure.
    updated_by text,
    updated_at timestamptz(3) not null default now()
  );
`;

const ALERTS = `
  create table alert_rules (
    id uuid primary key,
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    criteria text not null,
    rule_values jsonb not null,
    name text,
    enabled boolean not null,
    status text not null check (status in ('active', 'outdated')),
    outdated_reasons jsonb not null default '[]',
    -- The revision whose definition the rule was last validated against.
    definition_revision integer not null,
    created_by text not null default 'unknown',
    updated_by text not null default 'unknown',
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  create index alert_rules_newest on alert_rules (organization_id, created_at desc, id desc);
  create index alert_rules_module on alert_rules (module_id, organization_id, id);

  create table alerts (
    id uuid primary key,
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    -- No foreign key: alerts outlive their rule.
    rule_id uuid not null,
    fingerprint bytea not null,
    target_type text not null,
    target_id uuid not null,
    status text not null check (status in ('firing', 'resolved')),
    severity text not null check (severity in ('info', 'warning', 'critical')),
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3),
    title text not null,
    message text not null,
    value double precision,
    labels jsonb not null default '{}',
    acknowledged_at timestamptz(3),
    acknowledged_by text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  -- Guarantees one open alert of a fingerprint, also when it is raised several times at once.
  create unique index alerts_open on alerts (fingerprint) where status = 'firing';
  create index alerts_fingerprint on alerts (fingerprint, created_at desc);
  -- One for each way to filter the list: all that a page reads is in order, and next to each other. The list
  -- reads each status by itself, so these serve every status too.
  create index alerts_newest on alerts (organization_id, status, created_at desc, id desc);
  create index alerts_newest_of_module on alerts (organization_id, module_id, status, created_at desc, id desc);
  create index alerts_open_of_module on alerts (module_id, organization_id) where status = 'firing';
  create index alerts_resolved on alerts (updated_at) where status = 'resolved';
  create index alerts_rule on alerts (rule_id) where status = 'firing';
`;

export async function up(knex: Knex): Promise<void> {
  for (const statements of [API_KEYS, INSTALLATIONS, STRUCTURES, ALERTS]) await knex.raw(statements);
}
