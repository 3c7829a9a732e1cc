import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

async function importModule(options?: SampleOptions, organization = vendor): Promise<string> {
  const answer = await app.importPackage(organization, samplePackage(app.api.catalogue, options));
  expect(answer.status, answer.text).toBe(200);
  return answer.body.moduleId as string;
}

/** A module of three revisions, whose component and page tell the revision. */
async function importThrice(organization = vendor): Promise<string> {
  const moduleId = randomUUID();
  for (const revision of [1, 2, 3]) {
    const files = { 'PackageArtifact/build/index.html': `revision ${revision}` };
    await importModule({ descriptor: { moduleId, component: `c${revision}` }, files }, organization);
  }
  return moduleId;
}

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: string;
}

async function read(path: string, { method = 'GET', headers = {}, as = vendor.member }: Call = {}) {
  return app.fetch(`/api/v8.0/${vendor.id}/modules${path}`, {
    method,
    headers: { Authorization: as, ...headers },
  });
}

const problem = ({ status, body }: Answer) => [status, body.type as string];
const NOT_FOUND = [404, '/problems/not-found'];
const FORBIDDEN = [403, '/problems/auth-forbidden'];
const INVALID = [400, '/problems/request-invalid'];
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
/** An ID that no module has. */
const NO_MODULE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const PAGE = '/files/PackageArtifact/build/index.html';

describe('the list of modules', () => {
  test('tells of each module its ID, scope, English name, version and revision', async () => {
    const organization = await app.organization();
    const scope = `scope-${randomUUID()}`;
    const { englishId, entry } = app.api.catalogue;
    const id = await importModule(
      {
        descriptor: {
          scope,
          translations: [
            { languageId: entry('languages', 'de')?.id, moduleName: 'Bodenfeuchte' },
            { languageId: englishId, moduleName: 'Soil moisture' },
          ],
        },
      },
      organization,
    );
    const answer = await app.fetch(`/api/v8.0/${organization.id}/modules`, {
      headers: { Authorization: organization.member },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      items: [
        {
          id,
          scope,
          moduleName: 'Soil moisture',
          moduleVersion: 0.1,
          revision: 1,
          createdAt: expect.stringMatching(TIMESTAMP) as string,
          updatedAt: expect.stringMatching(TIMESTAMP) as string,
        },
      ],
      nextCursor: null,
    });
  });

  test('is newest first, in pages that hold every module once', async () => {
    const organization = await app.organization();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift(await importModule({}, organization));
    const listed: string[] = [];
    const sizes: number[] = [];
    let cursor = '';
    do {
      const { body } = await app.fetch(`/api/v8.0/${organization.id}/modules?limit=2${cursor}`, {
        headers: { Authorization: organization.member },
      });
      const items = body.items as { id: string }[];
      listed.push(...items.map(({ id }) => id));
      sizes.push(items.length);
      cursor = body.nextCursor === null ? '' : `&cursor=${encodeURIComponent(String(body.nextCursor))}`;
    } while (cursor !== '');
    expect(listed).toEqual(ids);
    expect(sizes).toEqual([2, 2, 1]);
  });

  test('keeps a module in its place when it is updated, and tells the new revision', async () => {
    const organization = await app.organization();
    const older = await importThrice(organization);
    const newer = await importModule({}, organization);
    await importModule({ descriptor: { moduleId: older, component: 'again' } }, organization);
    const { body } = await app.fetch(`/api/v8.0/${organization.id}/modules`, {
      headers: { Authorization: organization.member },
    });
    expect(body.items).toMatchObject([
      { id: newer, revision: 1 },
      { id: older, revision: 4 },
    ]);
  });

  test.each(['limit=0', 'limit=201', 'cursor=x', `cursor=${'A'.repeat(84)}`])(
    'a page that cannot be is 400: %s',
    async (query) => {
      expect(problem(await read(`?${query}`))).toEqual(INVALID);
    },
  );
});

describe('one module', () => {
  test('reads as the descriptor, roles, alert rules and files of its package', async () => {
    const id = await importModule({ descriptor: { component: 'soil', offlineCapability: true } });
    const { status, body } = await read(`/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      revision: 1,
      currentRevision: 1,
      moduleVersion: 0.1,
      descriptor: {
        component: 'soil',
        offlineCapability: true,
        translations: [{ languageId: app.api.catalogue.englishId, moduleName: 'Soil moisture' }],
      },
      roles: { roles: [{ name: 'Agronomist', baseRoles: ['Member'] }], data: [{ name: 'Readings' }] },
      alertRules: { criterias: { temperature: { displayName: { en: 'Temperature' } } } },
    });
    expect((body.files as { path: string }[]).map(({ path }) => path)).toEqual([
      'AlertRuleDefinitionFile/alert-rules.yaml',
      'ModuleLogo/logo.png',
      'ModulePrivacy/privacy.md',
      'ModuleSpecificRolesEntitiesDefinition/roles.json',
      'ModuleToS/terms.md',
      'PackageArtifact/build/assets/index-4f2a91c7.js',
      'PackageArtifact/build/index.html',
    ]);
    expect(body.createdAt).toMatch(TIMESTAMP);
  });

  test('names the import that each revision came with', async () => {
    const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue));
    expect((await read(`/${String(body.moduleId)}`)).body.importId).toBe(body.importId);
  });

  test('its ID is taken in either letter case', async () => {
    const id = await importModule();
    expect((await read(`/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  test('?revision=N reads an older one, and tells the current', async () => {
    const id = await importThrice();
    for (const revision of [1, 2, 3]) {
      expect((await read(`/${id}?revision=${revision}`)).body).toMatchObject({
        revision,
        currentRevision: 3,
        descriptor: { component: `c${revision}` },
      });
    }
    expect((await read(`/${id}`)).body.revision).toBe(3);
  });

  test('its ETag is the revision, as If-Match of an import takes it', async () => {
    const id = await importThrice();
    const etag = (await read(`/${id}`)).headers.get('etag') ?? '';
    expect(etag).toBe('"3"');
    const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId: id, component: 'next' } });
    const answer = await app.importPackage(vendor, zip, { headers: { 'If-Match': etag } });
    expect(answer.body).toMatchObject({ outcome: 'updated', revision: 4 });
  });

  test('If-None-Match with the current revision is 304 without a body, with another the module', async () => {
    const id = await importThrice();
    expect(await conditionalGet(`/${id}`, '"3"')).toEqual({ status: 304, text: '' });
    expect(await conditionalGet(`/${id}`, '"2"')).toMatchObject({ status: 200 });
  });

  test('what a revision read as while it was current is no longer fresh after an update', async () => {
    const id = await importModule();
    const etag = (await read(`/${id}?revision=1`)).headers.get('etag') ?? '"none"';
    await importModule({ descriptor: { moduleId: id, component: 'later' } });
    const { status, text } = await conditionalGet(`/${id}?revision=1`, etag);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ revision: 1, currentRevision: 2 });
  });

  test.each(['0', '-1', '1.5', 'one', '', '2147483648', '99999999999', '1&revision=2'])(
    'a revision that is no whole number from 1 is 400: %s',
    async (revision) => {
      const id = await importModule();
      expect(problem(await read(`/${id}?revision=${revision}`))).toEqual(INVALID);
      expect(problem(await read(`/${id}${PAGE}?revision=${revision}`))).toEqual(INVALID);
    },
  );

  test('a revision that is not there is 404', async () => {
    const id = await importModule();
    expect(problem(await read(`/${id}?revision=2`))).toEqual(NOT_FOUND);
    expect(problem(await read(`/${id}${PAGE}?revision=2147483647`))).toEqual(NOT_FOUND);
  });
});

/** A conditional GET by Node's own client: fetch marks its conditional requests with Cache-Control: no-cache. */
async function conditionalGet(path: string, etag: string): Promise<{ status: number; text: string }> {
  const request = http.get(`${app.url}/api/v8.0/${vendor.id}/modules${path}`, {
    headers: { Authorization: vendor.member, 'If-None-Match': etag },
  });
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  let text = '';
  for await (const bytes of response) text += String(bytes);
  return { status: response.statusCode ?? 0, text };
}

describe('revisions', () => {
  test('are listed newest first, each with its import, number of files and bytes', async () => {
    const id = await importThrice();
    const { status, body } = await read(`/${id}/revisions`);
    expect(status).toBe(200);
    expect(body.nextCursor).toBeNull();
    const items = body.items as { revision: number; files: number; sizeBytes: number }[];
    expect(items.map(({ revision }) => revision)).toEqual([3, 2, 1]);
    for (const item of items) {
      const one = (await read(`/${id}?revision=${item.revision}`)).body;
      const files = one.files as { sizeBytes: number }[];
      expect(item).toEqual({
        revision: item.revision,
        importId: one.importId as string,
        files: files.length,
        sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        createdAt: one.updatedAt as string,
      });
    }
  });

  test('are paged', async () => {
    const id = await importThrice();
    const first = (await read(`/${id}/revisions?limit=2`)).body;
    const second = (await read(`/${id}/revisions?limit=2&cursor=${String(first.nextCursor)}`)).body;
    expect(first.items).toMatchObject([{ revision: 3 }, { revision: 2 }]);
    expect(second).toMatchObject({ items: [{ revision: 1 }], nextCursor: null });
  });

  test.each(['limit=0', 'limit=201', 'cursor=x', 'cursor=0', 'cursor=2147483648'])(
    'a page that cannot be is 400: %s',
    async (query) => {
      expect(problem(await read(`/${await importModule()}/revisions?${query}`))).toEqual(INVALID);
    },
  );
});

describe('who may read', () => {
  const PATHS = ['', '/revisions', PAGE];

  test.each(PATHS)("another organization's module is 404, as one that is not there: %s", async (path) => {
    const id = await importModule();
    const stranger = await app.organization();
    const asked = async (moduleId: string) =>
      app.fetch(`/api/v8.0/${stranger.id}/modules/${moduleId}${path}`, {
        headers: { Authorization: stranger.admin },
      });
    const foreign = await asked(id);
    expect(problem(foreign)).toEqual(NOT_FOUND);
    expect(foreign.body.detail).toBe((await asked(randomUUID())).body.detail);
  });

  test.each(PATHS)('a token of another organization is 403: %s', async (path) => {
    const id = await importModule();
    const stranger = await app.organization();
    expect(problem(await read(`/${id}${path}`, { as: stranger.admin }))).toEqual(FORBIDDEN);
  });

  test.each(['', ...PATHS.map((path) => `/${NO_MODULE}${path}`)])(
    'a farmer organization is 403: /modules%s',
    async (path) => {
      const farmer = await app.organization({ kind: 'farmer' });
      const answer = await app.fetch(`/api/v8.0/${farmer.id}/modules${path}`, {
        headers: { Authorization: farmer.admin },
      });
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

  test('a cookie is never taken for a token', async () => {
    const id = await importModule();
    const Cookie = `token=${vendor.admin}; Authorization=${vendor.admin}`;
    const answer = await app.fetch(`/api/v8.0/${vendor.id}/modules/${id}${PAGE}`, { headers: { Cookie } });
    expect(answer.status).toBe(401);
  });

  test('a membership without a known role is 403', async () => {
    const as = await app.bearer({ organizations: [{ id: vendor.id, roles: ['Guest'] }] });
    expect(problem(await read('', { as }))).toEqual(FORBIDDEN);
  });

  test('an ID that is no GUID is 400', async () => {
    expect(problem(await read('/mine'))).toEqual(INVALID);
    expect(problem(await read(`/mine${PAGE}`))).toEqual(INVALID);
  });

  test.each([
    ['', 'GET'],
    [`/${NO_MODULE}`, 'GET, DELETE'],
    [`/${NO_MODULE}/revisions`, 'GET'],
    [`/${NO_MODULE}${PAGE}`, 'GET'],
  ])('/modules%s takes %s alone: another method is 405 with Allow', async (path, allowed) => {
    const answer = await read(path, { method: 'PATCH' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allowed);
  });
});

describe('environment variables', () => {
  test('read as environment and key; no answer tells a value', async () => {
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

  test('a value that breaks a rule is not repeated in the report', async () => {
    const secret = `s3cret-${randomUUID()}`;
    const variable = { appEnvironmentId: randomUUID(), key: 'API_KEY', value: { secret } };
    const descriptor = { environmentVariables: [variable, { ...variable, value: `${secret}\0` }] };
    const answer = await app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor }));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('/environmentVariables/0/value');
    expect(answer.text).not.toContain(secret);
  });

  test('the descriptor itself is no file that can be read', async () => {
    const id = await importModule();
    expect(problem(await read(`/${id}/files/moduleSchema.json`))).toEqual(NOT_FOUND);
  });
});

describe('a deleted module', () => {
  test('is gone from every read, its older revisions and files too', async () => {
    const id = await importThrice();
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

  test('frees its scope for the tenant', async () => {
    const descriptor = { scope: `scope-${randomUUID()}` };
    const neighbour = await app.organization({ tenantId: vendor.tenantId });
    const id = await importModule({ descriptor });
    const zip = samplePackage(app.api.catalogue, { descriptor });
    expect((await app.importPackage(neighbour, zip)).status).toBe(400);
    await read(`/${id}`, { method: 'DELETE', as: vendor.admin });
    expect((await app.importPackage(neighbour, zip)).status).toBe(200);
  });

  test('is deleted by administrators of its owner alone', async () => {
    const id = await importModule();
    const stranger = await app.organization();
    expect(problem(await read(`/${id}`, { method: 'DELETE' }))).toEqual(FORBIDDEN);
    expect(problem(await read(`/${id}`, { method: 'DELETE', as: stranger.admin }))).toEqual(FORBIDDEN);
    const own = await app.fetch(`/api/v8.0/${stranger.id}/modules/${id}`, {
      method: 'DELETE',
      headers: { Authorization: stranger.admin },
    });
    expect(problem(own)).toEqual(NOT_FOUND);
    expect((await read(`/${id}`)).status).toBe(200);
  });

  test('reads again in all its revisions when its owner imports it again', async () => {
    const id = await importThrice();
    await read(`/${id}`, { method: 'DELETE', as: vendor.admin });
    await importModule({ descriptor: { moduleId: id, component: 'back' } });
    expect((await read(`/${id}`)).body).toMatchObject({ revision: 4, descriptor: { component: 'back' } });
  });
});
