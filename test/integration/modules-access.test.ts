import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importSample, importThrice } from '../support/import-sample.ts';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
});

afterAll(() => app.stop());

const importModule = (options?: SampleOptions) => importSample(app, vendor, options);

interface Call {
  readonly method?: string;
  readonly as?: string;
}

async function read(path: string, { method = 'GET', as = vendor.member }: Call = {}) {
  return app.as(vendor, as).call(`${method} /modules${path}`);
}

const problem = ({ status, body }: Answer) => [status, body.type as string];
const NOT_FOUND = [404, '/problems/not-found'];
const FORBIDDEN = [403, '/problems/auth-forbidden'];
const INVALID = [400, '/problems/request-invalid'];
/** An ID that no module has. */
const NO_MODULE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const PAGE = '/files/PackageArtifact/build/index.html';

describe('who may read', () => {
  const PATHS = ['', '/revisions', '/statistics', PAGE];
  let id: string;
  let stranger: TestOrganization;

  beforeAll(async () => {
    id = await importModule();
    stranger = await app.organization();
  });

  test.each(PATHS)("another organization's module is 404, like an unknown one: %s", async (path) => {
    const readAsStranger = async (moduleId: string) => app.as(stranger).get(`/modules/${moduleId}${path}`);
    const foreign = await readAsStranger(id);
    expect(problem(foreign)).toEqual(NOT_FOUND);
    expect(foreign.body.detail).toBe((await readAsStranger(randomUUID())).body.detail);
  });

  test.each(PATHS)('a token of another organization is 403: %s', async (path) => {
    expect(problem(await read(`/${id}${path}`, { as: stranger.admin }))).toEqual(FORBIDDEN);
  });

  test.each(['', ...PATHS.map((path) => `/${NO_MODULE}${path}`)])(
    'a farmer organization is 403: /modules%s',
    async (path) => {
      const farmer = await app.organization({ kind: 'farmer' });
      const answer = await app.as(farmer).get(`/modules${path}`);
      expect(problem(answer)).toEqual(FORBIDDEN);
      expect(answer.body.detail).toContain('vendor');
    },
  );

  test.each(['', ...PATHS.map((path) => `/${NO_MODULE}${path}`)])(
    'without a token is 401 with WWW-Authenticate: /modules%s',
    async (path) => {
      const answer = await app.fetch(`/api/v8.0/${vendor.id}/modules${path}`);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    },
  );

  test('a cookie is never accepted as a token', async () => {
    const Cookie = `token=${vendor.admin}; Authorization=${vendor.admin}`;
    const answer = await app.fetch(`/api/v8.0/${vendor.id}/modules/${id}${PAGE}`, { headers: { Cookie } });
    expect(answer.status).toBe(401);
  });

  test('a membership without a known role is 403', async () => {
    const as = await app.bearer({ organizations: [{ id: vendor.id, roles: ['Guest'] }] });
    expect(problem(await read('', { as }))).toEqual(FORBIDDEN);
  });

  test('an ID that is not a GUID is 400', async () => {
    expect(problem(await read('/mine'))).toEqual(INVALID);
    expect(problem(await read(`/mine${PAGE}`))).toEqual(INVALID);
  });

  test.each([
    ['', 'GET'],
    [`/${NO_MODULE}`, 'GET, DELETE, PATCH'],
    [`/${NO_MODULE}/revisions`, 'GET'],
    [`/${NO_MODULE}${PAGE}`, 'GET'],
  ])('/modules%s accepts only %s: another method is 405 with Allow', async (path, allowed) => {
    const answer = await read(path, { method: 'PUT' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allowed);
  });
});

describe('environment variables', () => {
  test('are returned as environment and key; no answer contains a value', async () => {
    const secret = `s3cret-${randomUUID()}`;
    const appEnvironmentId = randomUUID();
    const descriptor = { environmentVariables: [{ appEnvironmentId, key: 'API_KEY', value: secret }] };
    const imported = await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }));
    const id = String(imported.body.moduleId);
    const module = await read(`/${id}`);
    expect(module.body.descriptor.environmentVariables).toEqual([{ appEnvironmentId, key: 'API_KEY' }]);
    const paths = (module.body.files as { path: string }[]).map(({ path }) => `/${id}/files/${path}`);
    const answers = [
      imported,
      module,
      await read('?limit=200', { as: vendor.admin }),
      await read(`/${id}?revision=1`, { as: vendor.admin }),
      await read(`/${id}/revisions`),
      await read(`/${id}/files/moduleSchema.json`),
      ...(await Promise.all(paths.map((path) => read(path)))),
      await read(`/../imports`),
      await read(`/../imports/${String(imported.body.importId)}`),
      await read(`/../imports/${String(imported.body.importId)}/events`),
    ];
    expect(paths).not.toHaveLength(0);
    for (const { text } of answers) expect(text).not.toContain(secret);
  });

  test('an invalid value is not repeated in the report', async () => {
    const secret = `s3cret-${randomUUID()}`;
    const variable = { appEnvironmentId: randomUUID(), key: 'API_KEY', value: { secret } };
    const descriptor = { environmentVariables: [variable, { ...variable, value: `${secret}\0` }] };
    const answer = await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('/environmentVariables/0/value');
    expect(answer.text).not.toContain(secret);
  });

  test('the descriptor cannot be read as a file', async () => {
    const id = await importModule();
    expect(problem(await read(`/${id}/files/moduleSchema.json`))).toEqual(NOT_FOUND);
  });
});

describe('a deleted module', () => {
  test('is missing from every read, with its older revisions and files', async () => {
    const id = await importThrice(app, vendor);
    const deleted = await read(`/${id}`, { method: 'DELETE', as: vendor.admin });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const path of ['', '?revision=1', '/revisions', PAGE, `${PAGE}?revision=1`])
      expect(problem(await read(`/${id}${path}`)), path).toEqual(NOT_FOUND);
    const { body } = await read('?limit=200');
    expect((body.items as { id: string }[]).map((each) => each.id)).not.toContain(id);
  });

  test('cannot be deleted again: 404', async () => {
    const id = await importModule();
    const remove = () => read(`/${id}`, { method: 'DELETE', as: vendor.admin });
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404]);
  });

  test('keeps its scope from other organizations', async () => {
    const descriptor = { scope: `scope-${randomUUID()}` };
    const neighbour = await app.organization({ tenantId: vendor.tenantId });
    const id = await importModule({ descriptor });
    const zip = samplePackage(app.api.catalogue, { descriptor });
    expect((await app.importPackage(neighbour, zip)).status).toBe(400);
    await read(`/${id}`, { method: 'DELETE', as: vendor.admin });
    expect((await app.importPackage(neighbour, zip)).status).toBe(400);
    expect((await app.importPackage(vendor, zip)).status).toBe(200);
  });

  test('is deleted only by administrators of its owner', async () => {
    const id = await importModule();
    const stranger = await app.organization();
    expect(problem(await read(`/${id}`, { method: 'DELETE' }))).toEqual(FORBIDDEN);
    expect(problem(await read(`/${id}`, { method: 'DELETE', as: stranger.admin }))).toEqual(FORBIDDEN);
    const own = await app.as(stranger).delete(`/modules/${id}`);
    expect(problem(own)).toEqual(NOT_FOUND);
    expect((await read(`/${id}`)).status).toBe(200);
  });

  test('is readable again in all its revisions when its owner imports it again', async () => {
    const id = await importThrice(app, vendor);
    await read(`/${id}`, { method: 'DELETE', as: vendor.admin });
    await importModule({ descriptor: { moduleId: id, component: 'back' } });
    expect((await read(`/${id}`)).body).toMatchObject({ revision: 4, descriptor: { component: 'back' } });
  });
});
