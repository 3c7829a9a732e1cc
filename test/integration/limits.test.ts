import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../shared/config/config.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Every limit with its default, by its section of the configuration. */
const LIMITS = {
  limits: {
    maxPackageBytes: 1 * GiB,
    maxEntries: 50_000,
    maxEntryBytes: 512 * MiB,
    maxUnpackedBytes: 4 * GiB,
    maxExpansionRatio: 100,
    expansionGraceBytes: 64 * MiB,
    maxPathBytes: 512,
    maxPathDepth: 32,
    maxDescriptorBytes: 1 * MiB,
    maxRolesBytes: 1 * MiB,
    maxAlertRulesBytes: 1 * MiB,
    maxImageBytes: 10 * MiB,
    maxReportedProblems: 100,
  },
  imports: { maxUploads: 128, maxUploadsPerOrganization: 64, maxImportsPerMinute: 600 },
  sharing: {
    maxDownloads: 64,
    maxDownloadsPerOrganization: 16,
    maxExports: 8,
    maxExportsPerOrganization: 2,
    maxRequestsPerSecondPerOrganization: 1_000,
    maxThreadMsPerSecondPerOrganization: 100,
  },
  server: { maxJsonBodyBytes: 10 * MiB },
  streams: {
    minAnswerBytesPerSecond: 16 * KiB,
    answerPaceSeconds: 60,
    maxEventStreams: 1_000,
    maxEventStreamsPerOrganization: 100,
    maxEventStreamSeconds: 300,
  },
  // Each is proven where it applies.
  quotas: loadConfig({}).quotas,
};
const sections: readonly Readonly<Record<string, number>>[] = Object.values(LIMITS);
const defaults: Readonly<Record<string, number>> = Object.assign({}, ...sections);

/** A value for each limit, different from its default and from the others. */
const configured = Object.fromEntries(Object.keys(defaults).map((name, index) => [name, 1_000 + index]));

/** German and Spanish, as they are shipped. */
const RECOMMENDED = ['024a238a-2653-5740-84b5-1b69abfcc223', 'e1c5c3f4-dbf6-5bfd-9b0a-cc627c4d8436'];

let standard: TestApp;
let changed: TestApp;

beforeAll(async () => {
  const ownValues = <Section extends object>(section: Section) =>
    Object.fromEntries(Object.keys(section).map((name) => [name, configured[name]])) as Section;
  // Not that of the other tests.
  standard = await startTestApp({
    worker: false,
    settings: { MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '' },
  });
  changed = await startTestApp({
    worker: false,
    settings: { REQUIRED_FOLDERS: 'ModuleToS,ModuleLogo' },
    config: {
      limits: ownValues(LIMITS.limits),
      imports: ownValues(LIMITS.imports),
      sharing: ownValues(LIMITS.sharing),
      server: ownValues(LIMITS.server),
      streams: ownValues(LIMITS.streams),
      quotas: ownValues(LIMITS.quotas),
    },
  });
});

afterAll(() => Promise.all([standard.stop(), changed.stop()]));

test('every limit is returned with its default, without a token', async () => {
  const answer = await standard.fetch('/api/v8.0/limits');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ...defaults,
    requiredFolders: [],
    recommendedLanguageIds: RECOMMENDED,
  });
});

test('every limit is returned as it is configured', async () => {
  expect((await changed.fetch('/api/v8.0/limits')).body).toEqual({
    ...configured,
    requiredFolders: ['ModuleToS', 'ModuleLogo'],
    recommendedLanguageIds: RECOMMENDED,
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
