import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { deleteEndedRows } from '../../shared/db/ended-rows.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

const DAYS = {
  auditDays: 30,
  alertDays: 20,
  apiKeyDays: 10,
  statisticsDays: 40,
  changeDays: 5,
  webhookAttemptDays: 10,
  consentDays: 50,
};

test('what ended long enough ago is deleted, and nothing else', async ({ app, vendor, farmer }) => {
  const { database } = app.api;
  const at = (days: number) => database.raw("now() - ? * interval '1 day'", [days]);
  const moduleId = randomUUID();
  const { id: organizationId, tenantId } = vendor;
  await database('modules').insert({
    id: moduleId,
    organizationId,
    tenantId,
    currentRevision: 1,
    newestRevision: 1,
  });
  const webhookId = randomUUID();
  await database('webhooks').insert({
    ...{ id: webhookId, organizationId, moduleId, url: '', publicKey: '', sealedKeys: '' },
    ...{ position: 0, createdBy: 'x' },
  });
  const entry = (days: number) => ({
    ...{ id: randomUUID(), organizationId, actor: 'x', action: 'module.exported', traceId: 't' },
    createdAt: at(days),
  });
  await database('audit_log').where({ organizationId }).delete();
  await database('audit_log').insert([entry(29), entry(31)]);
  const alert = (status: string, days: number) => ({
    ...{
      id: randomUUID(),
      organizationId: farmer.id,
      moduleId,
      ruleId: randomUUID(),
      fingerprint: randomBytes(32),
    },
    ...{
      targetType: 'farm',
      targetId: randomUUID(),
      severity: 'info',
      title: '',
      message: `${status} ${days}`,
    },
    ...{ status, startsAt: at(days), updatedAt: at(days) },
  });
  await database('alerts').insert([alert('firing', 900), alert('resolved', 19), alert('resolved', 21)]);
  const key = (clientName: string, expires: number, revoked: number | null) => ({
    ...{ id: randomUUID(), clientId: randomUUID(), organizationId, moduleId, clientName, secretStart: '' },
    ...{
      secretSha256: randomBytes(32),
      expiresAt: at(expires),
      revokedAt: revoked === null ? null : at(revoked),
    },
  });
  await database('api_keys').insert([
    key('valid', -300, null),
    key('expired lately', 9, null),
    key('expired', 11, null),
    key('revoked lately', -300, 9),
    key('revoked', -300, 11),
  ]);
  const session = (subject: string, days: number) => ({
    ...{ tokenSha256: randomBytes(32), subject, sealed: '' },
    ...{ expiresAt: at(days), endsAt: at(days) },
  });
  await database('sessions').insert([session('running', -0.1), session('ended', 0.1)]);
  const seen = (subject: string, days: number) => ({
    ...{ organizationId, issuer: 'x', subject, roles: [], seenAt: at(days) },
  });
  await database('people').insert([seen('seen', 29), seen('seen long ago', 31)]);
  const day = (days: number) => ({ moduleId, kind: 'calls', day: at(days), count: days });
  await database('module_days').insert([day(39), day(42)]);
  const hour = (days: number) => ({ hour: at(days), kind: 'wait', name: '', value: days });
  await database('import_hours').insert([hour(39), hour(41)]);
  const attempt = (type: string, days: number) => ({
    ...{ id: randomUUID(), webhookId, eventId: randomUUID(), type, number: 1, durationMs: 1 },
    createdAt: at(days),
  });
  await database('webhook_attempts').insert([attempt('late', 9), attempt('old', 11)]);
  const request = (route: string, days: number) => ({
    ...{ id: randomUUID(), organizationId, moduleId, clientId: randomUUID(), keyId: randomUUID() },
    ...{ method: 'GET', route, status: 200, traceId: 't', createdAt: at(days) },
  });
  await database('key_requests').insert([request('late', 6), request('old', 8)]);
  const read = (kind: string, days: number) => ({
    ...{ id: randomUUID(), organizationId: farmer.id, moduleId, kind, createdAt: at(days) },
  });
  await database('data_reads').insert([read('late', 89), read('old', 91)]);
  const consent = (module: string, days: number, terms: readonly object[] = []) => ({
    ...{ id: randomUUID(), organizationId: farmer.id, moduleId: module, revision: days, dataAreaIds: [] },
    ...{ terms: JSON.stringify(terms), givenBy: 'x', traceId: 't', createdAt: at(days) },
  });
  const removedId = randomUUID();
  await database('modules').insert({
    id: removedId,
    organizationId,
    tenantId,
    currentRevision: 1,
    newestRevision: 1,
  });
  await database('installations').insert({
    ...{ organizationId: farmer.id, moduleId, acceptedDataAreaIds: [], offeredDataAreaIds: [] },
    ...{ offeredRevision: 1, createdBy: '', updatedBy: '' },
  });
  await database('consents').insert([
    consent(moduleId, 90, [{ path: 'old terms' }]),
    consent(moduleId, 80, [{ path: 'terms' }]),
    consent(moduleId, 70),
    consent(moduleId, 60),
    consent(removedId, 51, [{ path: 'terms' }]),
    consent(removedId, 49),
  ]);
  const review = (decided: number | null) => ({
    ...{ kind: 'report', organizationId: farmer.id, moduleId, revision: 1, moduleName: String(decided) },
    decidedAt: decided === null ? null : at(decided),
    createdAt: at(900),
  });
  await database('reviews').insert([review(null), review(29), review(31)]);
  const settings = (subject: string) => ({
    ...{ organizationId, issuer: 'x', subject, language: 'en', authority: '{}', wishes: '{}' },
    updatedAt: at(31),
  });
  await database('notification_settings').insert([settings('seen'), settings('seen long ago')]);
  const [settingsId] = await database('notification_settings').where({ subject: 'seen' }).pluck('id');
  const [recipient] = await database('notification_recipients')
    .insert({ settingsId, channel: 'mail', address: '', positions: '{}', starts: '{}' })
    .returning<{ id: string }[]>('id');
  const link = (days: number) => ({
    ...{ secretSha256: randomBytes(32), recipientId: recipient?.id },
    createdAt: at(days),
  });
  await database('notification_links').insert([link(89), link(91)]);
  expect(await deleteEndedRows(database, DAYS)).toBe(16);
  const left = async (table: string, column: string) =>
    (await database(table).orderBy(column).pluck(column)) as string[];
  expect(await database('audit_log').where({ organizationId })).toHaveLength(1);
  expect(await left('alerts', 'message')).toEqual(['firing 900', 'resolved 19']);
  expect(await left('api_keys', 'client_name')).toEqual(['expired lately', 'revoked lately', 'valid']);
  expect(await left('module_days', 'count')).toEqual([39]);
  expect(await left('import_hours', 'value')).toEqual([39]);
  expect(await left('sessions', 'subject')).toEqual(['running']);
  expect(await left('reviews', 'module_name')).toEqual(['29', 'null']);
  expect(await left('people', 'subject')).toEqual(['seen']);
  expect(await left('notification_settings', 'subject')).toEqual(['seen']);
  expect(await left('notification_links', 'created_at')).toHaveLength(1);
  expect(await left('webhook_attempts', 'type')).toEqual(['late']);
  expect(await left('key_requests', 'route')).toEqual(['late']);
  expect(await left('data_reads', 'kind')).toEqual(['late']);
  // The latest for an installed module, and the latest to its terms, are kept however old they are.
  expect(await left('consents', 'revision')).toEqual([49, 60, 80]);
  expect(await deleteEndedRows(database, DAYS)).toBe(0);
});

test('more rows than a batch are deleted in several statements, each of a thousand at most', async ({
  app,
  vendor,
}) => {
  const { database } = app.api;
  await database.raw(
    `insert into audit_log (id, organization_id, created_at, actor, action, trace_id)
     select gen_random_uuid(), ?, now() - interval '400 days', 'x', 'module.exported', 't' from generate_series(1, 2500)`,
    [vendor.id],
  );
  const deletions: number[] = [];
  const count = (response: { command?: string; rowCount?: number }, query: { sql: string }) => {
    if (query.sql.includes('delete from audit_log')) deletions.push(response.rowCount ?? 0);
  };
  database.on('query-response', count);
  const deleted = await deleteEndedRows(database, DAYS);
  database.off('query-response', count);
  expect(deleted).toBeGreaterThanOrEqual(2_500);
  expect(deletions).toHaveLength(3);
  for (const rows of deletions) expect(rows).toBeLessThanOrEqual(1_000);
});

/** Every table, and what bounds it. A new table must be named here, with a bound. */
const BOUNDED: Readonly<Record<string, string>> = {
  organizations: 'operators create them',
  modules: 'no bound yet: their IDs stay reserved',
  reviews: 'one open of each organization and module, and AUDIT_RETENTION_DAYS',
  scopes: 'no bound yet: imports name them, and operators free them',
  module_revisions: 'no bound yet',
  module_files: 'of a revision: the limits of packages',
  imports: 'IMPORT_RETENTION_DAYS',
  idempotency_keys: 'seven days',
  api_keys: 'maxApiKeysPerModule, 90 days after their end',
  key_requests: '100 of an organization in ten seconds of a process, seven days',
  data_reads: 'four of each module that an organization has installed on a day, 90 days',
  audit_log: 'AUDIT_RETENTION_DAYS',
  installations: 'maxInstallationsPerOrganization',
  structures: 'MAX_STRUCTURES_PER_ORGANIZATION',
  structure_sets: 'one row for each organization',
  alert_rules: 'maxAlertRulesPerOrganization',
  alerts: 'maxOpenAlertsPerInstallation, a year after they were resolved',
  notification_settings:
    'one row for each person who has called within AUDIT_RETENTION_DAYS, in each organization',
  notification_recipients: 'one mail address and ten browsers for each row of notification_settings',
  push_key: 'one row',
  notification_links: '90 days',
  notification_position: 'one row',
  trusted_publishers: 'twenty for each module',
  publisher_tokens: 'two days after they expire',
  used_token_ids: 'until the issuer’s token expires',
  members: 'MAX_MEMBERS_PER_ORGANIZATION',
  people: 'AUDIT_RETENTION_DAYS after they were last seen',
  organization_groups: 'maxGroupsPerOrganization',
  invitations: 'maxInvitationsPerOrganization that can still be used, and as many others until they expire',
  sessions: 'until the session ends',
  deployments: 'one row for each database that it was restored from',
  encryption_key_checks: 'one row for each ID that ENCRYPTION_KEYS has had',
  freed_archives: 'until a collection after their time',
  module_days: '400 days',
  import_hours: '400 days',
  consents: 'ten years, but those in force',
  search_texts: 'of the revisions that somebody sees',
  quarantines: 'one row for each module',
  suspensions: 'one row for each organization',
  organization_limits: 'one row for each organization',
  modules_behind: 'until what depends on the module has been checked',
  revision_previewers: 'the organizations that the vendor names for a revision',
  outbox: 'until the next run of the sequencer',
  changes: '30 days',
  change_horizon: 'one row',
  webhooks: 'maxWebhooksPerModule, maxWebhooksPerOrganization',
  webhook_deliveries: '10,000 of a webhook, and those that are sent again',
  webhooks_behind: 'until a worker has made their deliveries',
  webhook_attempts: '30 days',
  leases: 'one row for each scheduled task',
};

test('every table of the service is bounded by something', async ({ app }) => {
  const tables = await app.api
    .database('information_schema.tables')
    .where({ tableSchema: 'public', tableType: 'BASE TABLE' })
    .pluck<string[]>('table_name');
  const own = tables.filter((name) => !/^(?:bullmq_|schema_migrations)/.test(name));
  expect(own.toSorted()).toEqual(Object.keys(BOUNDED).toSorted());
});
