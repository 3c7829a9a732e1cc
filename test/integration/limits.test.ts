import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Every limit with its default, and the setting that changes it. */
const LIMITS: Readonly<Record<string, readonly [standard: number, setting: string]>> = {
  maxPackageBytes: [1 * GiB, 'MAX_PACKAGE_BYTES'],
  maxEntries: [50_000, 'MAX_ENTRIES'],
  maxEntryBytes: [512 * MiB, 'MAX_ENTRY_BYTES'],
  maxUnpackedBytes: [4 * GiB, 'MAX_UNPACKED_BYTES'],
  maxExpansionRatio: [100, 'MAX_EXPANSION_RATIO'],
  expansionGraceBytes: [64 * MiB, 'EXPANSION_GRACE_BYTES'],
  maxPathBytes: [512, 'MAX_PATH_BYTES'],
  maxPathDepth: [32, 'MAX_PATH_DEPTH'],
  maxDescriptorBytes: [1 * MiB, 'MAX_DESCRIPTOR_BYTES'],
  maxRolesBytes: [1 * MiB, 'MAX_ROLES_BYTES'],
  maxAlertRulesBytes: [1 * MiB, 'MAX_ALERT_RULES_BYTES'],
  maxImageBytes: [10 * MiB, 'MAX_IMAGE_BYTES'],
  maxReportedProblems: [100, 'MAX_REPORTED_PROBLEMS'],
  maxUploads: [128, 'MAX_UPLOADS'],
  maxUploadsPerOrganization: [64, 'MAX_UPLOADS_PER_ORGANIZATION'],
  maxImportsPerMinute: [600, 'MAX_IMPORTS_PER_MINUTE'],
  maxDownloads: [64, 'MAX_DOWNLOADS'],
  maxDownloadsPerOrganization: [16, 'MAX_DOWNLOADS_PER_ORGANIZATION'],
  maxExports: [8, 'MAX_EXPORTS'],
  maxExportsPerOrganization: [2, 'MAX_EXPORTS_PER_ORGANIZATION'],
  maxRequestsPerSecondPerOrganization: [1_000, 'MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION'],
  maxThreadMsPerSecondPerOrganization: [100, 'MAX_THREAD_MS_PER_SECOND_PER_ORGANIZATION'],
  maxJsonBodyBytes: [10 * MiB, 'MAX_JSON_BODY_BYTES'],
  minAnswerBytesPerSecond: [16 * KiB, 'MIN_ANSWER_BYTES_PER_SECOND'],
  answerPaceSeconds: [60, 'ANSWER_PACE_SECONDS'],
  maxEventStreams: [1_000, 'MAX_EVENT_STREAMS'],
  maxEventStreamsPerOrganization: [100, 'MAX_EVENT_STREAMS_PER_ORGANIZATION'],
  maxEventStreamSeconds: [300, 'MAX_EVENT_STREAM_SECONDS'],
  maxModulesPerOrganization: [250_000, 'MAX_MODULES_PER_ORGANIZATION'],
  maxStoredBytesPerOrganization: [1_099_511_627_776, 'MAX_STORED_BYTES_PER_ORGANIZATION'],
  maxRevisionsPerModule: [10_000, 'MAX_REVISIONS_PER_MODULE'],
  maxStructuresPerOrganization: [250_000, 'MAX_STRUCTURES_PER_ORGANIZATION'],
  maxAlertRulesPerOrganization: [5_000, 'MAX_ALERT_RULES_PER_ORGANIZATION'],
  maxInstallationsPerOrganization: [1_000, 'MAX_INSTALLATIONS_PER_ORGANIZATION'],
  maxMembersPerOrganization: [2_000, 'MAX_MEMBERS_PER_ORGANIZATION'],
  maxGroupsPerOrganization: [100, 'MAX_GROUPS_PER_ORGANIZATION'],
  maxInvitationsPerOrganization: [500, 'MAX_INVITATIONS_PER_ORGANIZATION'],
  maxApiKeysPerModule: [1_000, 'MAX_API_KEYS_PER_MODULE'],
  maxWebhooksPerModule: [20, 'MAX_WEBHOOKS_PER_MODULE'],
  maxOpenAlertsPerInstallation: [20_000, 'MAX_OPEN_ALERTS_PER_INSTALLATION'],
};

/** A value for each limit, different from its default and from the others. */
const configured = Object.fromEntries(Object.keys(LIMITS).map((name, index) => [name, 1_000 + index]));

let standard: TestApp;
let changed: TestApp;

beforeAll(async () => {
  const settings = Object.fromEntries(
    Object.entries(LIMITS).map(([name, [, setting]]) => [setting, String(configured[name])]),
  );
  // Not that of the other tests.
  standard = await startTestApp({
    worker: false,
    settings: { MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '' },
  });
  changed = await startTestApp({
    worker: false,
    settings: { ...settings, REQUIRED_FOLDERS: 'ModuleToS,ModuleLogo' },
  });
});

afterAll(() => Promise.all([standard.stop(), changed.stop()]));

test('every limit is returned with its default, without a token', async () => {
  const answer = await standard.fetch('/api/v8.0/limits');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ...Object.fromEntries(Object.entries(LIMITS).map(([name, [value]]) => [name, value])),
    requiredFolders: [],
  });
});

test('every limit is returned as it is configured', async () => {
  expect((await changed.fetch('/api/v8.0/limits')).body).toEqual({
    ...configured,
    requiredFolders: ['ModuleToS', 'ModuleLogo'],
  });
});

test('a returned limit applies: a JSON body over it is 413, one at it is read', async () => {
  const { maxJsonBodyBytes } = (await changed.fetch('/api/v8.0/limits')).body as { maxJsonBodyBytes: number };
  const Authorization = await changed.bearer({ operator: true });
  const put = (bytes: number) => {
    const body = JSON.stringify({ name: 'Acme', kind: 'vendor', tenantId: randomUUID() });
    return changed.fetch(`/api/v8.0/organizations/${randomUUID()}`, {
      method: 'PUT',
      headers: { Authorization, 'Content-Type': 'application/json' },
      body: body.padEnd(bytes),
    });
  };
  expect((await put(maxJsonBodyBytes)).status).toBe(201);
  const refused = await put(maxJsonBodyBytes + 1);
  expect(refused.status).toBe(413);
  expect(refused.body).toMatchObject({ type: '/problems/request-too-large' });
});

test('the limits are read only: another method is 405 with Allow', async () => {
  const answer = await standard.fetch('/api/v8.0/limits', { method: 'PUT' });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET');
});
