import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

const zip = (options?: SampleOptions) => samplePackage(app.api.catalogue, options);

const importNew = (options?: SampleOptions) => importSample(app, vendor, options);

const read = (path: string, organization = vendor) => app.as(organization).get(path);

const codes = (answer: Answer) => (answer.body.errors as { code: string }[]).map(({ code }) => code);

test('If-Match with the current revision succeeds; with another it is 412 and nothing is stored', async () => {
  const moduleId = await importNew();
  const changed = (component: string) => zip({ descriptor: { moduleId, component } });
  expect(
    (await app.importPackage(vendor, changed('a'), { headers: { 'If-Match': '"1"' } })).body,
  ).toMatchObject({ revision: 2 });
  const late = await app.importPackage(vendor, changed('b'), { headers: { 'If-Match': '"1"' } });
  expect(late.status).toBe(412);
  expect(late.body).toMatchObject({ type: '/problems/registry-revision-changed' });
  expect((await read(`/modules/${moduleId}`)).body).toMatchObject({
    revision: 2,
    descriptor: { component: 'a' },
  });
});

test('validateOnly returns the outcome, and stores nothing', async () => {
  const moduleId = randomUUID();
  const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId } }), {
    query: '?validateOnly=true',
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ validateOnly: true, outcome: 'created', moduleId, revision: 1 });
  expect((await read(`/modules/${moduleId}`)).status).toBe(404);
  const row = await app.api
    .database('imports')
    .where({ id: answer.body.importId as string })
    .first<{ archiveKey: string | null } | undefined>();
  expect(row?.archiveKey).toBeNull();
});

test('a misspelt option is refused before anything is received, with the option that was meant', async () => {
  const moduleId = await importNew();
  const update = zip({ descriptor: { moduleId, component: 'unwanted' } });
  for (const [query, unknown, meant] of [
    ['?validateonly&relase=staged', 'validateonly', 'validateOnly'],
    ['?relase=staged', 'relase', 'release'],
  ] as const) {
    const { status, body } = await app.importPackage(vendor, update, { query });
    const detail = `Unknown query parameter \`${unknown}\`; did you mean \`${meant}\`?`;
    expect([status, body.type, body.detail]).toEqual([400, '/problems/request-invalid', detail]);
  }
  expect((await read(`/imports?moduleId=${moduleId}`)).body.items).toHaveLength(1);
});

test('a module is changed and deleted only in the revision that If-Match names', async () => {
  const moduleId = await importNew();
  const tag = (await read(`/modules/${moduleId}`)).headers.get('etag') ?? '';
  await importNew({ descriptor: { moduleId, component: 'newer' } });
  const send = (method: string, query: string, ifMatch: string) =>
    app.fetch(`/api/v8.0/${vendor.id}/modules/${moduleId}${query}`, {
      method,
      headers: { Authorization: vendor.admin, 'Content-Type': 'application/json', 'If-Match': ifMatch },
      ...(method === 'PATCH' && { body: JSON.stringify({ releasePolicy: 'manual' }) }),
    });
  for (const [method, query] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['DELETE', '?purge=true'],
  ] as const) {
    const { status, body } = await send(method, query, tag);
    expect([method, status, body.type]).toEqual([method, 412, '/problems/registry-revision-changed']);
  }
  expect((await send('PATCH', '', 'x')).status).toBe(400);
  expect((await read(`/modules/${moduleId}/releases`)).body.releasePolicy).toBe('immediate');
  expect((await send('PATCH', '', '"2"')).status).toBe(200);
  expect((await send('DELETE', '', '"1", "2"')).status).toBe(204);
});

test('a call that does not take an Idempotency-Key refuses it, and changes nothing', async () => {
  const moduleId = await importNew();
  const headers = { Authorization: vendor.admin, 'Idempotency-Key': randomUUID() };
  const path = `/api/v8.0/${vendor.id}/modules/${moduleId}`;
  const { status, body } = await app.fetch(path, { method: 'DELETE', headers });
  expect([status, body.type]).toEqual([400, '/problems/request-invalid']);
  expect(body.detail).toContain('Idempotency-Key');
  expect((await read(`/modules/${moduleId}`)).status).toBe(200);
});

test('no call accepts a parameter that it does not have', async () => {
  const moduleId = await importNew();
  const own = app.as(vendor);
  const answers = await Promise.all([
    own.get(`/ExportModuleAsync/${moduleId}?asnew=true`),
    own.post(`/registerApiClient/${moduleId}?name=x`),
    own.delete(`/modules/${moduleId}?purged=true`),
    app.as('operator').get('/CommonData?set=languages'),
    app.fetch('/openapi.json?version=1'),
  ]);
  expect(answers.map(({ status, body }) => [status, body.type as unknown])).toEqual(
    answers.map(() => [400, '/problems/request-invalid']),
  );
  expect((await read(`/modules/${moduleId}`)).status).toBe(200);
});

test("validateOnly returns every problem, including the registry's", async () => {
  const scope = `taken-${randomUUID()}`;
  await importNew({ descriptor: { scope } });
  const answer = await app.importPackage(vendor, zip({ descriptor: { scope, deploymentType: 'x' } }), {
    query: '?validateOnly=true',
  });
  expect(answer.status).toBe(400);
  expect(codes(answer)).toEqual(['descriptor-invalid', 'registry-scope-taken']);
});

test('Prefer: respond-async is answered with 202 and the address of the import', async () => {
  const answer = await app.importPackage(vendor, zip(), { headers: { Prefer: 'respond-async' } });
  expect(answer.status).toBe(202);
  expect(answer.headers.get('preference-applied')).toBe('respond-async');
  const location = `/api/v8.0/${vendor.id}/imports/${String(answer.body.importId)}`;
  expect(answer.headers.get('location')).toBe(location);
  await expect
    .poll(async () => (await read(`/imports/${String(answer.body.importId)}`)).body.status as string)
    .toBe('succeeded');
});

test('an idempotency key returns the same import and answer; for another upload it is 422', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const bytes = zip();
  const first = await app.importPackage(vendor, bytes, { headers });
  const second = await app.importPackage(vendor, bytes, { headers });
  expect(second.body).toEqual(first.body);
  const other = await app.importPackage(vendor, zip({ descriptor: { component: 'x' } }), { headers });
  expect(other.status).toBe(422);
  expect(other.body).toMatchObject({ type: '/problems/request-idempotency-mismatch' });
  const validated = await app.importPackage(vendor, bytes, { headers, query: '?validateOnly=true' });
  expect(validated.status).toBe(422);
});

test('one idempotency key sent ten times at once creates one import', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const bytes = zip();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => app.importPackage(vendor, bytes, { headers })),
  );
  expect(new Set(answers.map(({ body }) => body.importId as string)).size).toBe(1);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
});

test('an idempotency key of another organization is another key', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await app.importPackage(vendor, zip(), { headers });
  const second = await app.importPackage(await app.organization(), zip(), { headers });
  expect(second.body.importId).not.toBe(first.body.importId);
});

test('a finished import is returned as it ended, a rejected one with 200', async () => {
  const rejected = await app.importPackage(vendor, zip({ files: { 'stray.txt': 'x' } }));
  expect(rejected.status).toBe(400);
  const { status, body } = await read(`/imports/${String(rejected.body.importId)}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'rejected',
    errors: rejected.body.errors as unknown,
    outcome: null,
    fileName: 'package.zip',
  });
  expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
});

test('an import of another organization is not found', async () => {
  const { body } = await app.importPackage(vendor, zip());
  const other = await app.organization();
  expect((await read(`/imports/${String(body.importId)}`, other)).status).toBe(404);
});

test('the event stream ends with the final state of the import, and resumes after the last event', async () => {
  const { body } = await app.importPackage(vendor, zip());
  const path = `/api/v8.0/${vendor.id}/imports/${String(body.importId)}/events`;
  const stream = await app.fetch(path, { headers: { Authorization: vendor.admin } });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  const last = /id: (\d+)\nevent: import\ndata: (.*)\n\n$/.exec(stream.text);
  expect(JSON.parse(last?.[2] ?? '{}')).toMatchObject({
    importId: body.importId as string,
    status: 'succeeded',
  });
  const resumed = await app.fetch(path, {
    headers: { Authorization: vendor.admin, 'Last-Event-ID': last?.[1] ?? '' },
  });
  expect(resumed.status).toBe(204);
});

test.each([
  ['succeeded', {}],
  ['rejected', { 'stray.txt': 'x' }],
])('the last progress of an ended import is complete: %s', async (status, files) => {
  const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue, { files }));
  const read = await app.as(vendor).get(`/imports/${String(body.importId)}`);
  expect(read.body).toMatchObject({ status, progress: { step: 'writing', completed: 1, total: 1 } });
});
