import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { samplePackage } from '../support/sample-package.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { startTestApp } from '../support/test-app.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

function zip(options?: SampleOptions): Buffer {
  return samplePackage(app.api.catalogue, options);
}

const importNew = (options?: SampleOptions) => importSample(app, vendor, options);

async function read(path: string, organization = vendor): Promise<Answer> {
  return app.fetch(`/api/v8.0/${organization.id}${path}`, { headers: { Authorization: organization.admin } });
}

const codes = (answer: Answer) => (answer.body.errors as { code: string }[]).map(({ code }) => code);

test('a good package answers 200 with the new module', async () => {
  const answer = await app.importPackage(vendor, zip());
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    importId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    status: 'succeeded',
    outcome: 'created',
    moduleId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    moduleVersion: 0.1,
    revision: 1,
    warnings: [],
  });
});

test('an absent, null and empty moduleId each make a module with an ID of its own', async () => {
  const ids = [
    await importNew(),
    await importNew({ descriptor: { moduleId: null } }),
    await importNew({ descriptor: { moduleId: '00000000-0000-0000-0000-000000000000' } }),
  ];
  expect(new Set(ids).size).toBe(3);
});

test('an ID that no module has becomes the ID of the new module, in lower case', async () => {
  const moduleId = randomUUID();
  expect(await importNew({ descriptor: { moduleId: moduleId.toUpperCase() } })).toBe(moduleId);
});

test('an ID of an own module updates it, and the revision counts up', async () => {
  const moduleId = await importNew();
  const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId, component: 'soil' } }));
  expect(answer.body).toMatchObject({ outcome: 'updated', moduleId, revision: 2 });
});

test('a package that changes nothing is unchanged: 200 and no new revision', async () => {
  const moduleId = await importNew();
  const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId } }));
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ outcome: 'unchanged', moduleId, revision: 1 });
});

test('a changed file alone is a change', async () => {
  const moduleId = await importNew();
  const files = { 'PackageArtifact/build/index.html': '<!doctype html><title>New</title>' };
  expect((await app.importPackage(vendor, zip({ descriptor: { moduleId }, files }))).body).toMatchObject({
    outcome: 'updated',
  });
});

test('an ID of another organization is refused, also when that module was deleted', async () => {
  const moduleId = await importNew();
  const other = await app.organization();
  const first = await app.importPackage(other, zip({ descriptor: { moduleId } }));
  expect(first.status).toBe(400);
  expect(first.body.errors).toMatchObject([
    { code: 'registry-module-id-not-allowed', entry: 'moduleSchema.json', pointer: '/moduleId' },
  ]);
  await app.fetch(`/api/v8.0/${vendor.id}/modules/${moduleId}`, {
    method: 'DELETE',
    headers: { Authorization: vendor.admin },
  });
  const second = await app.importPackage(other, zip({ descriptor: { moduleId } }));
  expect(second.body.errors).toEqual(first.body.errors);
});

test('a deleted module can be imported again by its owner, and its revisions go on', async () => {
  const moduleId = await importNew();
  await app.fetch(`/api/v8.0/${vendor.id}/modules/${moduleId}`, {
    method: 'DELETE',
    headers: { Authorization: vendor.admin },
  });
  const answer = await app.importPackage(vendor, zip({ descriptor: { moduleId } }));
  expect(answer.body).toMatchObject({ outcome: 'created', moduleId, revision: 2 });
});

test('translations that the package does not mention stay; those that it has are updated', async () => {
  const { englishId, sets } = app.api.catalogue;
  const german = sets.get('languages')?.find(({ key }) => key === 'de')?.id;
  const moduleId = await importNew({
    descriptor: {
      translations: [
        { languageId: englishId, moduleName: 'Soil' },
        { languageId: german, moduleName: 'Boden' },
      ],
    },
  });
  await app.importPackage(
    vendor,
    zip({ descriptor: { moduleId, translations: [{ languageId: englishId, moduleName: 'Ground' }] } }),
  );
  const { body } = await read(`/modules/${moduleId}`);
  const names = Object.fromEntries(
    (body.descriptor.translations as { languageId: string; moduleName: string }[]).map((each) => [
      each.languageId,
      each.moduleName,
    ]),
  );
  expect(names).toEqual({ [englishId]: 'Ground', [String(german)]: 'Boden' });
});

test('everything else is declarative: what the package leaves out is empty', async () => {
  const moduleId = await importNew({ descriptor: { component: 'soil', cropIds: [randomUUID()] } });
  await app.importPackage(vendor, zip({ descriptor: { moduleId } }));
  expect((await read(`/modules/${moduleId}`)).body.descriptor).toMatchObject({
    component: null,
    cropIds: [],
  });
});

test('an update that drops a part warns of it', async () => {
  const moduleId = await importNew();
  const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': null };
  const { body } = await app.importPackage(vendor, zip({ descriptor: { moduleId }, files }));
  expect(body.warnings).toMatchObject([{ code: 'layout-part-removed', entry: 'AlertRuleDefinitionFile/' }]);
});

test('a scope that is taken in the tenant is refused, in another tenant it is free', async () => {
  const scope = `scope-${randomUUID()}`;
  await importNew({ descriptor: { scope } });
  const neighbour = await app.organization({ tenantId: vendor.tenantId });
  const refused = await app.importPackage(neighbour, zip({ descriptor: { scope } }));
  expect(refused.body.errors).toMatchObject([{ code: 'registry-scope-taken', pointer: '/scope' }]);
  const stranger = await app.organization();
  expect((await app.importPackage(stranger, zip({ descriptor: { scope } }))).status).toBe(200);
});

test('a scope is exact: another letter case is another scope', async () => {
  const scope = `Scope-${randomUUID()}`;
  await importNew({ descriptor: { scope } });
  await importNew({ descriptor: { scope: scope.toLowerCase() } });
});

test('twenty uploads at once that claim one scope: one 200, nineteen 400', async () => {
  const scope = `race-${randomUUID()}`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => app.importPackage(vendor, zip({ descriptor: { scope } }))),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status === 400);
  expect(refused.map(codes)).toEqual(Array.from({ length: 19 }, () => ['registry-scope-taken']));
});

test('ten updates of one module at once: ten 200s, revisions without gaps', async () => {
  const moduleId = await importNew();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      app.importPackage(vendor, zip({ descriptor: { moduleId, component: `c${index}` } })),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  const revisions = answers.map(({ body }) => body.revision as number).toSorted((a, b) => a - b);
  expect(revisions).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('while a module is updated readers see the old revision or the new one, never a mixture', async () => {
  const moduleId = await importNew({
    descriptor: { component: 'c0' },
    files: { 'PackageArtifact/build/index.html': 'c0' },
  });
  const state = { isDone: false };
  const updates = (async () => {
    for (let index = 1; index <= 8; index += 1) {
      const files = { 'PackageArtifact/build/index.html': `c${index}` };
      await app.importPackage(vendor, zip({ descriptor: { moduleId, component: `c${index}` }, files }));
    }
    state.isDone = true;
  })();
  let seen = 0;
  while (!state.isDone) {
    const { body } = await read(`/modules/${moduleId}`);
    const file = await read(
      `/modules/${moduleId}/files/PackageArtifact/build/index.html?revision=${String(body.revision)}`,
    );
    expect(file.text).toBe(body.descriptor.component);
    expect(body.descriptor.component).toBe(`c${(body.revision as number) - 1}`);
    seen += 1;
  }
  await updates;
  expect(seen).toBeGreaterThan(0);
});

test('If-Match with the current revision passes, with another it is 412 and nothing is written', async () => {
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

test('validateOnly tells the outcome, and writes and keeps nothing', async () => {
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
    .first<{ uploadKey: string | null } | undefined>();
  expect(row?.uploadKey).toBeNull();
});

test("validateOnly tells every problem, the registry's too", async () => {
  const scope = `taken-${randomUUID()}`;
  await importNew({ descriptor: { scope } });
  const answer = await app.importPackage(vendor, zip({ descriptor: { scope, deploymentType: 'x' } }), {
    query: '?validateOnly=true',
  });
  expect(answer.status).toBe(400);
  expect(codes(answer)).toEqual(['descriptor-invalid', 'registry-scope-taken']);
});

test('Prefer: respond-async answers 202 with the address of the import', async () => {
  const answer = await app.importPackage(vendor, zip(), { headers: { Prefer: 'respond-async' } });
  expect(answer.status).toBe(202);
  expect(answer.headers.get('preference-applied')).toBe('respond-async');
  const location = `/api/v8.0/${vendor.id}/imports/${String(answer.body.importId)}`;
  expect(answer.headers.get('location')).toBe(location);
  await expect
    .poll(async () => (await read(`/imports/${String(answer.body.importId)}`)).body.status as string)
    .toBe('succeeded');
});

test('an idempotency key gives the same import and answer; for another upload it is 422', async () => {
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

test('one idempotency key sent ten times at once makes one import', async () => {
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

test('a finished import reads as it ended, a rejected one as 200', async () => {
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

test('imports are listed newest first, in pages', async () => {
  const organization = await app.organization();
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1)
    ids.unshift((await app.importPackage(organization, zip())).body.importId as string);
  const first = await read('/imports?limit=2', organization);
  const second = await read(`/imports?limit=2&cursor=${String(first.body.nextCursor)}`, organization);
  const listed = [...first.body.items, ...second.body.items] as { importId: string }[];
  expect(listed.map(({ importId }) => importId)).toEqual(ids);
  expect(second.body.nextCursor).toBeNull();
});

test('an import of another organization is not found', async () => {
  const { body } = await app.importPackage(vendor, zip());
  const other = await app.organization();
  expect((await read(`/imports/${String(body.importId)}`, other)).status).toBe(404);
});

test('the event stream ends with the import as it ended, and resumes after the last event', async () => {
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
