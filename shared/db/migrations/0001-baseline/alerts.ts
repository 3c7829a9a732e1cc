/** Alert rules and alerts. */
export const ALERTS = `
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
    -- The version of that definition: while its organization sees another one, the rule is still to be validated.
    definition_version text not null default '',
    -- As the definitions that validated the rule declare it; null: they declare none.
    expected_interval_hours integer,
    -- Up to a minute before the last report; null: there was none.
    reported_at timestamptz(3),
    created_by text not null,
    updated_by text not null,
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
  create index alerts_raised on alerts (created_at, module_id);
`;
