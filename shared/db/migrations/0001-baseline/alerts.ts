/** Alert rules, alerts, and the notification of people. */
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
    -- Each severity that it has had, with the time of the first report of it; null: it has always had this one.
    severities jsonb,
    -- When it first had the newest of these.
    severity_at timestamptz(3),
    acknowledged_at timestamptz(3),
    acknowledged_by text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  -- Guarantees one open alert of a fingerprint, also when it is raised several times at once.
  create unique index alerts_open on alerts (fingerprint) where status = 'firing';
  create index alerts_fingerprint on alerts (fingerprint, created_at desc);
  -- All that a page reads is in order, and next to each other, whether it is filtered by module, by severity or by
  -- neither. With both it reads by one of them, and drops what the other excludes. The list reads each status by
  -- itself, so these serve every status too.
  create index alerts_newest on alerts (organization_id, status, created_at desc, id desc);
  create index alerts_newest_of_module on alerts (organization_id, module_id, status, created_at desc, id desc);
  create index alerts_newest_of_severity on alerts (organization_id, severity, status, created_at desc, id desc);
  create index alerts_open_of_module on alerts (module_id, organization_id) where status = 'firing';
  create index alerts_resolved on alerts (updated_at) where status = 'resolved';
  create index alerts_rule on alerts (rule_id) where status = 'firing';
  create index alerts_raised on alerts (created_at, module_id);
  create index alerts_of_new_severity on alerts (severity_at) where severity_at is not null;

  -- What each person wants to be notified of.
  create table notification_settings (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null,
    issuer text not null,
    subject text not null,
    language text not null check (language in ('en', 'de')),
    -- By severity and channel: {"info": {"mail": "digest", "push": "none"}, …}.
    wishes jsonb not null,
    -- Local times, such as 22:00, and their time zone: all three, or none.
    quiet_from text,
    quiet_to text,
    time_zone text,
    -- That of the person when they wrote the settings: a message is sent only while it holds.
    authority jsonb not null,
    updated_at timestamptz(3) not null default now(),
    unique (organization_id, issuer, subject),
    -- Settings end with what is known of the person.
    foreign key (organization_id, issuer, subject) references people (organization_id, issuer, subject) on delete cascade
  );

  -- Where a person is notified: at the mail address, and in each browser. What is sent to one is no concern of the others.
  create table notification_recipients (
    id uuid primary key default gen_random_uuid(),
    settings_id uuid not null references notification_settings on delete cascade,
    channel text not null check (channel in ('mail', 'push')),
    -- The mail address, as the issuer has verified it; of a browser the address at its push service.
    address text not null,
    -- Of a browser: messages are encrypted with them (RFC 8291).
    push_keys jsonb check ((push_keys is not null) = (channel = 'push')),
    browser text,
    operating_system text,
    -- Up to when the alerts of each severity are sent, or need not be: {"info": "…", …}.
    positions jsonb not null,
    -- Since when each severity is wanted: earlier alerts of it count as not sent.
    starts jsonb not null,
    -- When the next message is due; null: nothing is to be sent.
    immediate_due_at timestamptz,
    digest_due_at timestamptz,
    -- Quiet hours, a suspension or a failed attempt hold what is due back until then.
    held_until timestamptz,
    failed_attempts integer not null default 0,
    -- The message that is being sent; null: none.
    claim_id uuid,
    claimed_until timestamptz,
    sent_at timestamptz,
    -- The answer of the mail server to an address that it refuses for good; null: it does not.
    bounce_status integer,
    bounced_at timestamptz,
    created_at timestamptz(3) not null default now()
  );
  create unique index notification_recipients_mail on notification_recipients (settings_id) where channel = 'mail';
  create unique index notification_recipients_push on notification_recipients (address, settings_id) where channel = 'push';
  create index notification_recipients_settings on notification_recipients (settings_id);
  create index notification_recipients_due on notification_recipients (channel, least(immediate_due_at, digest_due_at));

  -- The key pair that signs what is sent to push services (RFC 8292): browsers subscribe with the public key.
  create table push_key (
    is_only boolean primary key default true check (is_only),
    id uuid not null default gen_random_uuid(),
    public_key text not null,
    sealed_private_key bytea not null
  );

  -- The links in mails that end them: of their secrets only the SHA-256.
  create table notification_links (
    secret_sha256 bytea primary key,
    recipient_id uuid not null references notification_recipients on delete cascade,
    created_at timestamptz(3) not null default now()
  );
  create index notification_links_recipient on notification_links (recipient_id);
  create index notification_links_oldest on notification_links (created_at);

  -- The time up to which alerts have been gathered for messages.
  create table notification_position (
    is_only boolean primary key default true check (is_only),
    position timestamptz not null,
    -- The next one, noted while these transactions ran, each with the time when it was first seen.
    next_position timestamptz not null default now(),
    running jsonb
  );
  insert into notification_position (position) values (now());

  -- The end of the quiet hours at a time; null: it is in none, or there are none. They may include midnight.
  create function quiet_until(instant timestamptz, quiet_from text, quiet_to text, zone text) returns timestamptz
  language sql as $$
    select case
      when quiet_from::time < quiet_to::time and clock::time >= quiet_from::time and clock::time < quiet_to::time
        or quiet_from::time > quiet_to::time and clock::time < quiet_to::time
        then (clock::date + quiet_to::time) at time zone zone
      when quiet_from::time > quiet_to::time and clock::time >= quiet_from::time
        then (clock::date + 1 + quiet_to::time) at time zone zone
      end
    from (select instant at time zone zone as clock) as wall $$;

  -- The first six o'clock after a time.
  create function next_digest(instant timestamptz, zone text) returns timestamptz language sql as $$
    select min(digest) from (
      select ((instant at time zone zone)::date + days + time '06:00') at time zone zone as digest
      from generate_series(0, 2) as days
    ) as digests where digest > instant $$;
`;
