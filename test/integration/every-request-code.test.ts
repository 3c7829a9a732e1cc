import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import problemExamples from '../../api/openapi/problem-examples.json' with { type: 'json' };
import { archiveKeyOf } from '../../shared/db/imports/archives.ts';
import { REQUEST_PROBLEMS, type RequestProblemCode } from '../../api/http/request-problem-codes.ts';
import { PLACEHOLDER_FILES } from '../../shared/package/placeholders.ts';
import { install, makeModule, sampleFarm } from '../support/machine-access.ts';
import { asExample } from '../support/recorded-example.ts';
import { importSample } from '../support/import-sample.ts';
import { makeReviewedModule } from '../support/reviewed-module.ts';
import { MAIL_ALL_AT_ONCE } from '../support/notified-farmer.ts';
import { samplePackage } from '../support/sample-package.ts';
import { packageForm } from '../support/package-form.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { makeWebhook } from '../support/webhook-module.ts';

/** A service whose imports stay queued, so that a test can reach each of their states. */
let app: TestApp;
let vendor: TestOrganization;
let operator: string;

beforeAll(async () => {
  app = await startTestApp({
    worker: false,
    settings: { IMPORT_WAIT_SECONDS: '1', MAX_PACKAGE_BYTES: '100000' },
  });
  vendor = await app.organization();
  operator = await app.bearer({ operator: true });
});

/** A service with a worker, for what needs modules. */
let startedShop: Promise<TestApp> | null = null;
const shopApp = (): Promise<TestApp> => (startedShop ??= startTestApp());

afterAll(async () => {
  await app.stop();
  await (await startedShop)?.stop();
});

const zip = (component = 'c') => samplePackage(app.api.catalogue, { descriptor: { component } });

async function queued(): Promise<string> {
  const { body } = await app.importPackage(vendor, zip(), { headers: { Prefer: 'respond-async' } });
  return body.importId as string;
}

/** The answer to an upload whose import reaches this state while the request waits. */
async function answerWhenImportIs(columns: object): Promise<Answer> {
  const organization = await app.organization();
  const waiting = app.importPackage(organization, zip());
  const find = () =>
    app.api
      .database('imports')
      .where({ organizationId: organization.id })
      .first<{ id: string } | undefined>();
  await expect.poll(find).toBeDefined();
  await app.api.database('imports').where({ organizationId: organization.id }).update(columns);
  app.api.imports.waiter.wake([(await find())?.id ?? '']);
  return waiting;
}

const EXAMPLES: Readonly<Record<string, unknown>> = problemExamples;

const ended = { finishedAt: new Date() };

async function operatorCall(path: string, init: RequestInit = {}): Promise<Answer> {
  return app.fetch(`/api/v8.0${path}`, {
    ...init,
    headers: { Authorization: operator, 'Content-Type': 'application/json' },
  });
}

async function putOrganization(id: string, body: object): Promise<Answer> {
  return operatorCall(`/organizations/${id}`, { method: 'PUT', body: JSON.stringify(body) });
}

async function vendorCall(path: string, init: RequestInit = {}): Promise<Answer> {
  return app.fetch(`/api/v8.0/${vendor.id}${path}`, { ...init, headers: { Authorization: vendor.admin } });
}

/** The answer to an installation of a module whose descriptor has these members. */
async function installSample(descriptor: object, body?: object): Promise<Answer> {
  const shop = await shopApp();
  const owner = await shop.organization();
  const farmer = await shop.organization({ kind: 'farmer', tenantId: owner.tenantId });
  const { moduleId } = await makeModule(shop, owner, [], { descriptor: { ...descriptor } });
  return shop.as(farmer).put(`/installations/${moduleId}`, body);
}

interface Releasing {
  readonly shop: TestApp;
  readonly owner: TestOrganization;
  readonly moduleId: string;
  post(path: string, body?: object): Promise<Answer>;
  put(path: string, body: object): Promise<Answer>;
}

/** The answer of a service whose worker runs, to a vendor with a released module; paths are relative to it. */
async function releasing(act: (releasing: Releasing) => Promise<Answer>): Promise<Answer> {
  const shop = await shopApp();
  const owner = await shop.organization();
  const { moduleId } = await makeModule(shop, owner, [], { descriptor: { scope: `scope-${randomUUID()}` } });
  const own = shop.as(owner);
  return act({
    ...{ shop, owner, moduleId },
    post: (path, body) => own.post(`/modules/${moduleId}${path}`, body),
    put: (path, body) => own.put(`/modules/${moduleId}${path}`, body),
  });
}

const CALLS: Partial<Record<RequestProblemCode, () => Promise<Answer>>> = {
  'import-rejected': () =>
    answerWhenImportIs({
      ...ended,
      status: 'rejected',
      errors: '[{"code":"roles-invalid","detail":"The value must be an object.","severity":"error"}]',
      errorsTotal: 1,
    }),
  'address-unverified': async () => {
    const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
    return app.fetch(`/api/v8.0/${farmer.id}/notificationSettings`, {
      method: 'PUT',
      headers: { Authorization: farmer.member, 'Content-Type': 'application/json' },
      body: JSON.stringify(MAIL_ALL_AT_ONCE),
    });
  },
  'last-administrator': async () => {
    const subject = 'only-administrator';
    const path = `/api/v8.0/${vendor.id}/members/${subject}`;
    await operatorCall(`/${vendor.id}/members/${subject}`, {
      method: 'PUT',
      body: JSON.stringify({ roles: ['OrganizationAdmin'] }),
    });
    return app.fetch(path, {
      method: 'DELETE',
      headers: { Authorization: await app.bearer({ subject }) },
    });
  },
  'registry-revision-changed': () =>
    answerWhenImportIs({
      ...ended,
      status: 'rejected',
      errors:
        '[{"code":"registry-revision-changed","detail":"The module is at revision 4, not 3.","severity":"error"}]',
      errorsTotal: 1,
    }),
  'import-still-running': () => app.importPackage(vendor, zip()),
  'import-failed': () => answerWhenImportIs({ ...ended, status: 'failed' }),
  'import-deadline-exceeded': () =>
    answerWhenImportIs({
      ...ended,
      status: 'failed',
      errors:
        '[{"code":"import-deadline-exceeded","detail":"The import did not end within 3600 seconds; it was checking the package.","severity":"error"}]',
      errorsTotal: 1,
    }),
  'import-cancelled': () => answerWhenImportIs({ ...ended, status: 'cancelled' }),
  'import-not-cancellable': async () => {
    const id = await queued();
    await app.api
      .database('imports')
      .where({ id })
      .update({ ...ended, status: 'succeeded' });
    return vendorCall(`/imports/${id}/cancel`, { method: 'POST' });
  },
  'import-not-retryable': async () =>
    operatorCall(`/operations/imports/${await queued()}/retry`, { method: 'POST' }),
  'import-not-failed': async () =>
    operatorCall(`/operations/imports/${await queued()}/dismiss`, { method: 'POST' }),
  'webhook-not-enabled': async () => {
    const moduleId = randomUUID();
    const { id: organizationId, tenantId } = vendor;
    await app.api
      .database('modules')
      .insert({ id: moduleId, organizationId, tenantId, currentRevision: 1, newestRevision: 1 });
    const { path } = await makeWebhook(app, vendor, 'https://hooks.example.com/', {}, moduleId);
    await app.as(vendor).patch(path, { status: 'paused' });
    return app.as(vendor).post(`${path}/test`);
  },
  'request-file-missing': () => vendorCall('/ImportModuleAsync', { method: 'POST', body: new FormData() }),
  'request-too-large': () =>
    vendorCall('/ImportModuleAsync', { method: 'POST', body: packageForm(randomBytes(300_000)) }),
  'request-invalid': () => putOrganization(randomUUID(), { name: '', kind: 'shop' }),
  'request-idempotency-mismatch': async () => {
    const headers = { 'Idempotency-Key': randomUUID(), Prefer: 'respond-async' };
    await app.importPackage(vendor, zip('one'), { headers });
    return app.importPackage(vendor, zip('two'), { headers });
  },
  'revision-current': async () => {
    const shop = await shopApp();
    const owner = await shop.organization();
    const { moduleId } = await makeModule(shop, owner);
    return shop.as(owner).delete(`/modules/${moduleId}/revisions/1`);
  },
  'installation-dependency-missing': () => installSample({ dependencies: [randomUUID()] }),
  'installation-offer-changed': async () => {
    const shop = await shopApp();
    const owner = await shop.organization();
    const own = shop.as(await shop.organization({ kind: 'farmer', tenantId: owner.tenantId }));
    const { moduleId } = await makeModule(shop, owner, []);
    const { headers } = await own.get(`/availableModules/${moduleId}`);
    await makeModule(shop, owner, ['FarmOrganization'], { descriptor: { moduleId } });
    return own.put(`/installations/${moduleId}`, {}, { 'If-Match': headers.get('etag') ?? '' });
  },
  'installation-terms-changed': () => installSample({}, { acceptedTerms: ['0'.repeat(64)] }),
  'revision-released': () => releasing(({ put }) => put('/revisions/1/previewers', { organizationIds: [] })),
  'revision-has-placeholders': () =>
    releasing(async ({ shop, owner }) => {
      const files = { 'ModuleToS/terms.md': PLACEHOLDER_FILES.terms };
      const { body } = await shop.importPackage(owner, samplePackage(shop.api.catalogue, { files }));
      return shop.as(owner).post(`/modules/${String(body.moduleId)}/revisions/1/release`);
    }),
  'revision-awaits-review': async () => {
    const shop = await startTestApp({ settings: { REVIEW_FIRST_RELEASES: 'true' } });
    const owner = await shop.organization();
    const moduleId = await importSample(shop, owner);
    const answer = await shop.as(owner).post(`/modules/${moduleId}/revisions/1/release`);
    await shop.stop();
    return answer;
  },
  'revision-scope-taken': () =>
    releasing(async ({ shop, owner, moduleId, post }) => {
      const others = { moduleId, scope: `other-${randomUUID()}` };
      const { catalogue } = shop.api;
      await shop.importPackage(owner, samplePackage(catalogue, { descriptor: others }), {
        query: '?renameScope=true',
      });
      const taken = (await shop.as(owner).get(`/modules/${moduleId}?revision=1`)).body.descriptor
        .scope as string;
      await shop.importPackage(
        owner,
        samplePackage(catalogue, { descriptor: { moduleId: null, scope: taken } }),
      );
      return post('/revisions/1/release');
    }),
  'report-open': async () => {
    const { report } = await makeReviewedModule(await shopApp());
    await report();
    return report();
  },
  'review-decided': async () => {
    const { report, decide } = await makeReviewedModule(await shopApp());
    const id = String((await report()).body.id);
    await decide(id);
    return decide(id);
  },
  'review-answered': async () => {
    const { report, decide, answer } = await makeReviewedModule(await shopApp());
    const id = String((await report()).body.id);
    await decide(id);
    await answer(id);
    return answer(id);
  },
  'scope-in-use': () =>
    releasing(async ({ shop, owner, moduleId }) => {
      const { scope } = (await shop.as(owner).get(`/modules/${moduleId}`)).body.descriptor as {
        scope: string;
      };
      return shop.as('operator').delete(`/operations/scopes/${owner.tenantId}/${scope}`);
    }),
  'module-withdrawn': () =>
    releasing(async ({ shop, owner, moduleId, post }) => {
      await post('/withdraw', { reason: 'Sensors of 2019 are no longer read.' });
      const farmer = await shop.organization({ kind: 'farmer', tenantId: owner.tenantId });
      return shop.as(farmer).put(`/installations/${moduleId}`);
    }),
  'module-quarantined': () =>
    releasing(async ({ shop, owner, moduleId }) => {
      const reason = 'It sends what farmers type to another server.';
      await shop.as('operator').post(`/operations/modules/${moduleId}/quarantine`, { reason });
      return shop.as(owner).get(`/modules/${moduleId}/files/ModuleToS/terms.md`);
    }),
  'organization-suspended': async () => {
    const shop = await shopApp();
    const owner = await shop.organization();
    const body = { reason: 'Invoices of March are not paid.', farmersKeepAccess: true };
    await shop.as('operator').put(`/operations/organizations/${owner.id}/suspension`, body);
    return shop.as(owner).get('/modules');
  },
  'method-not-allowed': () => vendorCall('/imports', { method: 'DELETE' }),
  'auth-token-invalid': () => app.fetch('/api/v8.0/CommonData'),
  'auth-forbidden': () => vendorCall('/../operations/imports'),
  'organization-fixed': () =>
    putOrganization(vendor.id, { name: 'x', kind: 'farmer', tenantId: vendor.tenantId }),
  'organization-in-use': async () => {
    const shop = await shopApp();
    const owner = await shop.organization();
    const { moduleId } = await makeModule(shop, owner);
    const farmer = await shop.organization({ kind: 'farmer', tenantId: owner.tenantId });
    await install(shop, farmer, moduleId);
    return shop.as('operator').delete(`/organizations/${owner.id}`);
  },
  'not-found': () => vendorCall(`/modules/${randomUUID()}`),
  'rate-limited': async () => {
    const strict = await startTestApp({ worker: false, settings: { MAX_IMPORTS_PER_MINUTE: '1' } });
    const organization = await strict.organization();
    const headers = { Prefer: 'respond-async' };
    await strict.importPackage(organization, zip(), { headers });
    const answer = await strict.importPackage(organization, zip(), { headers });
    await strict.stop();
    return answer;
  },
  'quota-exceeded': async () => {
    const small = await startTestApp({ worker: false, settings: { MAX_STRUCTURES_PER_ORGANIZATION: '1' } });
    const farmer = await small.organization({ kind: 'farmer' });
    const answer = await small.as(farmer).put('/structures', { farms: [sampleFarm()] });
    await small.stop();
    return answer;
  },
  'structures-changed': async () => {
    const farmer = await app.organization({ kind: 'farmer' });
    return app.as(farmer).put('/structures', { farms: [sampleFarm()] }, { 'If-Match': '"other"' });
  },
  'auth-api-key-invalid': () => app.fetch(`/api/v8.0/Alerts/RulesByModuleId/${randomUUID()}`),
  'changes-expired': async () => {
    const shop = await shopApp();
    const module = await makeModule(shop, await shop.organization());
    return shop.as(module).get('/ChangesByModuleId?cursor=999999');
  },
  'auth-data-area-missing': async () => {
    const shop = await shopApp();
    const module = await makeModule(shop, await shop.organization(), []);
    return shop.as(module).get('/StructuresByModuleId');
  },
  unavailable: async () => {
    const lost = await startTestApp({ worker: false });
    const token = await lost.bearer({ operator: true });
    await lost.issuer.stop();
    const answer = await lost.fetch('/api/v8.0/CommonData', { headers: { Authorization: token } });
    await lost.stop();
    return answer;
  },
};

/** Returned only after a minute of waiting; its rule has its own test with a fake clock. */
const ELSEWHERE: readonly string[] = ['request-too-slow'];
test('every request code has a call here that returns it', () =>
  expect([...Object.keys(CALLS), ...ELSEWHERE].toSorted()).toEqual(Object.keys(REQUEST_PROBLEMS).toSorted()));

describe.each(Object.entries(CALLS))('%s', (code, call) =>
  test('is answered as a problem document with its status', async () => {
    const answer = await call();
    const { status, title } = REQUEST_PROBLEMS[code as RequestProblemCode];
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ type: `/problems/${code}`, title, status });
    expect(answer.body.detail).not.toBe('');
    expect(answer.body.instance).toMatch(/^\/api\//);
    expect(answer.body.traceId).toBe(answer.headers.get('x-trace-id'));
    expect(asExample(answer.body), 'the example of /openapi.json').toEqual(EXAMPLES[code]);
  }),
);

test('a failed import that is retried after a later one succeeded is superseded', async () => {
  const busy = await startTestApp();
  const organization = await busy.organization();
  const moduleId = randomUUID();
  const of = (component: string) =>
    samplePackage(busy.api.catalogue, { descriptor: { moduleId, component } });
  const first = await busy.importPackage(organization, of('first'));
  const id = first.body.importId as string;
  // The state after an internal error.
  await busy.api
    .database('imports')
    .where({ id })
    .update({
      ...{ status: 'failed', failedAt: new Date(), outcome: null, moduleId: null },
      archiveKey: archiveKeyOf(busy.api.deploymentId, id),
    });
  expect((await busy.importPackage(organization, of('second'))).body).toMatchObject({ outcome: 'updated' });
  const Authorization = await busy.bearer({ operator: true });
  const retried = await busy.fetch(`/api/v8.0/operations/imports/${id}/retry`, {
    method: 'POST',
    headers: { Authorization },
  });
  expect(retried.status).toBe(202);
  const read = () =>
    busy.fetch(`/api/v8.0/${organization.id}/imports/${id}`, {
      headers: { Authorization: organization.admin },
    });
  await expect.poll(async () => (await read()).body.status as string, { timeout: 20_000 }).toBe('rejected');
  expect((await read()).body.errors).toMatchObject([{ code: 'registry-superseded' }]);
  await busy.stop();
});

test('a failed import that was not superseded succeeds when it is retried', async () => {
  const busy = await startTestApp();
  const organization = await busy.organization();
  const moduleId = randomUUID();
  const { body } = await busy.importPackage(
    organization,
    samplePackage(busy.api.catalogue, { descriptor: { moduleId } }),
  );
  const id = body.importId as string;
  await busy.api
    .database('imports')
    .where({ id })
    .update({
      ...{ status: 'failed', failedAt: new Date(), outcome: null, moduleId: null },
      archiveKey: archiveKeyOf(busy.api.deploymentId, id),
    });
  const Authorization = await busy.bearer({ operator: true });
  const retried = await busy.fetch(`/api/v8.0/operations/imports/${id}/retry`, {
    method: 'POST',
    headers: { Authorization },
  });
  expect(retried.status, retried.text).toBe(202);
  const find = () => busy.api.database('imports').where({ id }).first<{ status: string; outcome: string }>();
  await expect.poll(async () => (await find()).status, { timeout: 20_000 }).toBe('succeeded');
  expect((await find()).outcome).toBe('unchanged');
  await busy.stop();
});
