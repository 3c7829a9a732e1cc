import type { Database } from '../../shared/db/database.ts';
import type { TestOrganization } from './test-app.ts';

/*
 * Tables as they are after a year. Few rows are due: 1,500 archives to forget, 300 of them of validations, 1,300 imports,
 * 1,200 keys, 1,100 sessions and 1,000 people to drop, 120 overdue imports among the 500 that run. 10,000 wait, 9,500 archives are
 * kept for some days more, and 50 imports have failed.
 */
const IMPORTS = `
  insert into imports (id, organization_id, tenant_id, imported_by, status, validate_only, staged, new_module_id, run_id, size_bytes, sha256,
    archive_key, trace_id, trace_parent, created_at, updated_at, queued_at, started_at, finished_at, failed_at)
  select id, :organizationId, :tenantId, '', status, number between 1301 and 1600, false, id, null, 1000, '\\x00',
    case when status in ('queued', 'running', 'failed') or number between 1301 and 2800 or number > 80000
      then :prefix || id end,
    '', '', at, at, at,
    case when status = 'running' then now() - case when number % 25 < 6 then interval '2 hours' else interval '1 minute' end end,
    case when status not in ('queued', 'running') then at end, case when status = 'failed' then at end
  from (
    select number, gen_random_uuid() as id,
      case
        when number > 89500 and number <= 90000 then 'running'
        when number > 90000 then 'queued'
        when number > 80000 and number <= 80050 then 'failed'
        when number % 3 = 0 then 'rejected' else 'succeeded'
      end as status,
      case
        when number <= 1300 then now() - interval '400 days'
        when number <= 2800 then now() - interval '10 days'
        when number <= 80000 then now() - interval '300 days' + number * interval '1 minute'
        when number <= 89500 then now() - interval '2 days' + number * interval '0.1 seconds'
        else now() - interval '1 hour' + (number - 89500) * interval '0.1 seconds'
      end as at
    from generate_series(1, 100000) as number
    where number <= 12800 or number > 80000
  ) as made`;

/** The modules that have a scope. */
const NAMED = '(select m.*, s.scope from modules m join scopes s on s.module_id = m.id)';

const REST = `
  insert into modules (id, organization_id, tenant_id, current_revision, newest_revision)
  select gen_random_uuid(), :organizationId, :tenantId, 1, 1 from generate_series(1, 20) as number;
  insert into scopes (tenant_id, scope, organization_id, module_id)
  select tenant_id, case number when 1 then 'rare' else 'common' end, organization_id, id
  from (select *, row_number() over () as number from modules where organization_id = :organizationId) as numbered
  where number <= 2;
  insert into module_revisions (module_id, revision, organization_id, import_id, imported_by, descriptor,
    environment, fingerprint, packing, checks, archive_key, archive_bytes, archive_sha256)
  select m.id, number, :organizationId, gen_random_uuid(), '', '{"dataAreaIds": []}', '', '\\x00', '\\x00', '[]',
    :prefix || gen_random_uuid(), 1, '\\x00'
  from modules m, generate_series(1, 1500) as number where m.organization_id = :organizationId;
  insert into idempotency_keys (organization_id, key, fingerprint, import_id, expires_at)
  select organization_id, id::text, '\\x00', id, now() + interval '1 day' from imports where status = 'queued';
  insert into idempotency_keys (organization_id, key, fingerprint, import_id, expires_at)
  select organization_id, id::text, '\\x00', id, now() - interval '1 day' from imports
  where status = 'rejected' and created_at > now() - interval '3 days' limit 1200;
  insert into sessions (token_sha256, subject, sealed, expires_at, ends_at)
  select decode(md5(number::text), 'hex'), 'somebody', '\\x00',
    now() + case when number <= 1100 then interval '-1 hour' else interval '1 hour' end, now() + interval '1 hour'
  from generate_series(1, 12000) as number;
  insert into people (organization_id, issuer, subject, roles, seen_at)
  select :organizationId, '', number::text, '{}',
    now() - case when number <= 1000 then interval '4000 days' else interval '1 hour' end
  from generate_series(1, 12000) as number`;

/** Fills the tables of imports. */
export async function fillImports(
  database: Database,
  { id: organizationId, tenantId }: TestOrganization,
  prefix: string,
): Promise<void> {
  await fill(database, [IMPORTS, ...REST.split(';')], { organizationId, tenantId, prefix });
  await analyze(database, [
    'imports',
    'modules',
    'module_revisions',
    'idempotency_keys',
    'sessions',
    'people',
  ]);
}

const ALERTS = `
  insert into alerts (id, organization_id, module_id, rule_id, fingerprint, target_type, target_id, status, severity,
    starts_at, title, message, created_at, updated_at)
  select gen_random_uuid(), :farmerId, case when number <= 20 then rare.id else common.id end, gen_random_uuid(),
    decode(md5(number::text), 'hex'), 'farm', gen_random_uuid(),
    case when number % 1000 = 7 then 'firing' else 'resolved' end, 'info', now(), 'title', 'message',
    now() - number * interval '1 second', now() - case when number <= 1000 then interval '100 days' else interval '1 day' end
  from ${NAMED} rare, ${NAMED} common, generate_series(1, 12000) as number
  where rare.scope = 'rare' and common.scope = 'common'`;

/** Fills the table of alerts: 12 of a farmer's 12,000 fire, 20 are of the vendor's module `rare`, 999 ended long ago. */
export async function fillAlerts(database: Database, farmer: TestOrganization): Promise<void> {
  await fill(database, [ALERTS], { farmerId: farmer.id });
  await analyze(database, ['alerts']);
}

const ACCESS = `
  insert into audit_log (id, organization_id, created_at, actor, action, trace_id)
  select gen_random_uuid(), :organizationId, now() - case when number <= 1000 then interval '400 days' else interval '1 day' end,
    'somebody', 'module.exported', ''
  from generate_series(1, 12000) as number;
  insert into api_keys (id, client_id, organization_id, module_id, client_name, secret_sha256, secret_start, expires_at, revoked_at)
  select gen_random_uuid(), gen_random_uuid(), :organizationId, m.id, '', decode(md5(number::text), 'hex'), '',
    now() + interval '1 day', case when number <= 1000 then now() - interval '100 days' end
  from ${NAMED} m, generate_series(1, 12000) as number where m.scope = 'common';
  insert into reviews (kind, organization_id, module_id, revision, module_name, created_at, decided_at)
  select 'report', :organizationId, m.id, 1, '', now() - interval '400 days',
    now() - case when number <= 1000 then interval '400 days' else interval '1 day' end
  from generate_series(1, 12000) as number join ${NAMED} m on m.scope = case number % 1000 when 0 then 'rare' else 'common' end;
  insert into key_requests (id, organization_id, module_id, client_id, key_id, method, route, status, trace_id, created_at)
  select gen_random_uuid(), :organizationId, m.id, case when number % 500 = 0 then m.id else gen_random_uuid() end,
    gen_random_uuid(), 'GET', '', case when number % 400 = 0 then 403 else 200 end, '',
    now() - case when number <= 1000 then interval '100 days' else interval '1 day' end
  from ${NAMED} m, generate_series(1, 12000) as number where m.scope = 'common';
  insert into data_reads (id, organization_id, module_id, kind, created_at)
  select gen_random_uuid(), :organizationId, m.id, number::text,
    now() - case when number <= 1000 then interval '100 days' else interval '1 day' end
  from generate_series(1, 12000) as number join ${NAMED} m on m.scope = case number % 1000 when 0 then 'rare' else 'common' end;
  insert into trusted_publishers (id, organization_id, module_id, position, issuer, audience, claims, created_by)
  select gen_random_uuid(), :organizationId, m.id, 0, 'issuer', '', '{}', '' from ${NAMED} m where m.scope = 'common';
  insert into publisher_tokens (token_sha256, id, publisher_id, organization_id, module_id, issuer, expires_at)
  select decode(md5(number::text), 'hex'), gen_random_uuid(), p.id, :organizationId, p.module_id, p.issuer,
    now() + case when number <= 1000 then interval '-3 days' else interval '10 minutes' end
  from trusted_publishers p, generate_series(1, 12000) as number;
  insert into used_token_ids (issuer, jti, expires_at)
  select 'issuer', number::text, now() + case when number <= 1000 then interval '-1 day' else interval '10 minutes' end
  from generate_series(1, 12000) as number;
  insert into invitations (id, organization_id, secret_sha256, role, authority, created_by, expires_at)
  select gen_random_uuid(), :organizationId, decode(md5(number::text), 'hex'), 'OrganizationMember',
    '{"kind":"token"}', '', now() + case when number <= 1000 then interval '-30 days' else interval '7 days' end
  from generate_series(1, 12000) as number;
  insert into people (organization_id, issuer, subject, roles) values (:organizationId, 'issuer', 'mailed', '{}');
  insert into notification_settings (organization_id, issuer, subject, language, wishes, authority)
  values (:organizationId, 'issuer', 'mailed', 'en', '{}', '{}');
  insert into notification_recipients (settings_id, channel, address, positions, starts)
  select s.id, 'mail', '', '{}', '{}' from notification_settings s;
  insert into notification_recipients (settings_id, channel, address, push_keys, positions, starts)
  select s.id, 'push', number::text, '{}', '{}', '{}' from notification_settings s, generate_series(1, 12000) as number;
  insert into notification_links (secret_sha256, recipient_id, created_at)
  select decode(md5(number::text), 'hex'), r.id,
    now() - case when number <= 1000 then interval '100 days' else interval '1 day' end
  from notification_recipients r, generate_series(1, 12000) as number where r.channel = 'mail';
  insert into freed_archives (archive_key, archive_bytes, organization_id, module_id)
  select 'packages/' || number, 1, m.organization_id, m.id from ${NAMED} m, generate_series(1, 40000) as number where m.scope = 'common';
  insert into module_days (module_id, kind, day, count)
  select m.id, kind, current_date - number, 1
  from modules m, unnest(array['calls', 'alerts']) as kind, generate_series(0, 424) as number;
  insert into import_hours (hour, kind, name, value)
  select date_trunc('hour', now(), 'UTC') - number * interval '1 hour', 'wait', '', 1 from generate_series(0, 10200) as number;
  insert into changes (module_id, organization_id, type, at, subject)
  select m.id, :organizationId, 'structures.changed',
    now() - case when number <= 1000 then interval '400 days' else interval '1 day' end, '{}'
  from generate_series(1, 12000) as number join ${NAMED} m on m.scope = case number % 1000 when 0 then 'rare' else 'common' end;
  insert into consents (id, organization_id, module_id, revision, data_area_ids, terms, given_by, trace_id, created_at)
  select gen_random_uuid(), :organizationId, m.id, 1, '{}', case number % 2 when 0 then '[]' else '[{}]' end::jsonb, '', '',
    now() - case when number <= 1000 then interval '4000 days' else interval '1 day' end
  from ${NAMED} m, generate_series(1, 12000) as number where m.scope = 'common';
  insert into webhooks (id, organization_id, module_id, url, public_key, sealed_keys, position, created_by)
  select gen_random_uuid(), :organizationId, id, '', '', '\\x00', 0, '' from ${NAMED} m where scope = 'rare';
  insert into webhook_attempts (id, webhook_id, event_id, type, number, duration_ms, created_at)
  select gen_random_uuid(), w.id, gen_random_uuid(), '', 1, 1,
    now() - case when number <= 900 then interval '100 days' else interval '1 day' end
  from webhooks w, generate_series(1, 20000) as number`;

/** Fills the audit log and the tables of keys, tokens, invitations, statistics and changes, at most 1,000 rows of each are due; and freed archives. */
export async function fillAccess(
  database: Database,
  { id: organizationId }: TestOrganization,
): Promise<void> {
  await fill(database, ACCESS.split(';'), { organizationId });
  await analyze(database, [
    'audit_log',
    'api_keys',
    'reviews',
    'key_requests',
    'data_reads',
    'publisher_tokens',
    'used_token_ids',
    'invitations',
    'notification_recipients',
    'notification_links',
    'freed_archives',
    'module_days',
    'import_hours',
    'changes',
    'webhook_attempts',
    'consents',
  ]);
}

const MODULES = `
  insert into modules (id, organization_id, tenant_id, current_revision, newest_revision, created_at)
  select gen_random_uuid(), :organizationId, :tenantId, case when number % 1000 = 7 then null else 1 end, 1,
    now() - number * interval '1 second'
  from generate_series(1, 12000) as number;
  insert into module_revisions (module_id, revision, organization_id, import_id, imported_by, descriptor,
    environment, fingerprint, packing, checks, archive_key, archive_bytes, archive_sha256)
  select id, 1, :organizationId, gen_random_uuid(), '', '{"dataAreaIds": [], "translations": [{"moduleName": "Common"}]}',
    '', '\\x00', '\\x00', '[]', id, 1, '\\x00'
  from modules where organization_id = :organizationId;
  insert into search_texts (module_id, revision, tenant_id, created_at, crop_ids, names, words)
  select id, 1, tenant_id, created_at, '{}', to_tsvector('simple', name), to_tsvector('simple', name)
  from (
    select *, case when row_number() over () % 1000 = 8 then 'rare' else 'common' end as name
    from modules where organization_id = :organizationId and current_revision is not null
  ) as named`;

/** Fills the table of modules with those of another vendor: 12 of 12,000 were never released, the names of 12 have the word `rare`. */
export async function fillModules(
  database: Database,
  { id: organizationId, tenantId }: TestOrganization,
): Promise<void> {
  await fill(database, MODULES.split(';'), { organizationId, tenantId });
  await analyze(database, ['modules', 'module_revisions', 'search_texts']);
}

async function fill(
  database: Database,
  statements: readonly string[],
  values: Readonly<Record<string, string>>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    // The rows refer to rows that exist: looking each up took longer than writing them.
    await transaction.raw('set local session_replication_role = replica');
    for (const statement of statements) await transaction.raw(statement, values);
  });
}

async function analyze(database: Database, tables: readonly string[]): Promise<void> {
  await database.raw(`vacuum analyze ${tables.join(', ')}`);
}
