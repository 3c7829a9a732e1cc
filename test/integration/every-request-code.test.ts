import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import problemExamples from '../../api/openapi/problem-examples.json' with { type: 'json' };
import { archiveKeyOf } from '../../shared/db/imports/archives.ts';
import { REQUEST_PROBLEMS } from '../../api/http/request-problem-codes.ts';
import type { RequestProblemCode } from '../../api/http/request-problem-codes.ts';
import { install, makeModule, sampleFarm } from '../support/machine-access.ts';
import { asExample } from '../support/recorded-example.ts';
import { samplePackage } from '../support/sample-package.ts';
import { packageForm } from '../support/package-form.ts';
import { startTestApp } from '../support/test-app.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

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

afterAll(() => app.stop());

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
  app.api.waiter.wake([(await find())?.id ?? '']);
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

const CALLS: Partial<Record<RequestProblemCode, () => Promise<Answer>>> = {
  'import-rejected': () =>
    answerWhenImportIs({
      ...ended,
      status: 'rejected',
      errors: '[{"code":"roles-invalid","detail":"The value must be an object.","severity":"error"}]',
      errorsTotal: 1,
    }),
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
    const shop = await startTestApp();
    const owner = await shop.organization();
    const { moduleId } = await makeModule(shop, owner);
    const answer = await shop.as(owner).delete(`/modules/${moduleId}/revisions/1`);
    await shop.stop();
    return answer;
  },
  'method-not-allowed': () => vendorCall('/imports', { method: 'DELETE' }),
  'auth-token-invalid': () => app.fetch('/api/v8.0/CommonData'),
  'auth-forbidden': () => vendorCall('/../operations/imports'),
  'organization-fixed': () =>
    putOrganization(vendor.id, { name: 'x', kind: 'farmer', tenantId: vendor.tenantId }),
  'organization-in-use': async () => {
    const shop = await startTestApp();
    const owner = await shop.organization();
    const { moduleId } = await makeModule(shop, owner);
    const farmer = await shop.organization({ kind: 'farmer', tenantId: owner.tenantId });
    await install(shop, farmer, moduleId);
    const answer = await shop.as('operator').delete(`/organizations/${owner.id}`);
    await shop.stop();
    return answer;
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
  'auth-api-key-invalid': () => app.fetch(`/api/v8.0/Alerts/RulesByModuleId/${randomUUID()}`),
  'auth-data-area-missing': async () => {
    const shop = await startTestApp();
    const module = await makeModule(shop, await shop.organization(), []);
    const answer = await shop.as(module).get('/StructuresByModuleId');
    await shop.stop();
    return answer;
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
test('every request code has a call here that returns it', () => {
  expect([...Object.keys(CALLS), ...ELSEWHERE].toSorted()).toEqual(Object.keys(REQUEST_PROBLEMS).toSorted());
});

describe.each(Object.entries(CALLS))('%s', (code, call) => {
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
  });
});

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
