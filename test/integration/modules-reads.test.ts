import { randomUUID } from 'node:crypto';
import http from 'node:http';
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

const importModule = (options?: SampleOptions, owner = vendor) => importSample(app, owner, options);

async function read(path: string): Promise<Answer> {
  return app.as(vendor, vendor.member).get(`/modules${path}`);
}

const problem = ({ status, body }: Answer) => [status, body.type as string];
const NOT_FOUND = [404, '/problems/not-found'];
const INVALID = [400, '/problems/request-invalid'];
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
const PAGE = '/files/PackageArtifact/build/index.html';

describe('the list of modules', () => {
  test('has for each module its ID, scope, names, logos, version, revision and last import', async () => {
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
    const answer = await app.as(organization, organization.member).get('/modules');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      items: [
        {
          id,
          scope,
          moduleName: 'Soil moisture',
          translations: expect.arrayContaining([
            { languageId: englishId, moduleName: 'Soil moisture', shortName: null },
            { languageId: entry('languages', 'de')?.id, moduleName: 'Bodenfeuchte', shortName: null },
          ]) as unknown,
          logos: [
            {
              path: 'ModuleLogo/logo.png',
              mediaType: 'image/png',
              sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
            },
          ],
          moduleVersion: 0.1,
          revision: 1,
          currentRevision: 1,
          newestRevision: 1,
          lastImport: {
            importId: expect.any(String) as string,
            status: 'succeeded',
            createdAt: expect.stringMatching(TIMESTAMP) as string,
          },
          createdAt: expect.stringMatching(TIMESTAMP) as string,
          updatedAt: expect.stringMatching(TIMESTAMP) as string,
        },
      ],
      nextCursor: null,
    });
  });

  test('is newest first, in pages that contain every module once', async () => {
    const organization = await app.organization();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift(await importModule({}, organization));
    const listed: string[] = [];
    const sizes: number[] = [];
    let cursor = '';
    do {
      const { body } = await app.as(organization, organization.member).get(`/modules?limit=2${cursor}`);
      const items = body.items as { id: string }[];
      listed.push(...items.map(({ id }) => id));
      sizes.push(items.length);
      cursor = body.nextCursor === null ? '' : `&cursor=${encodeURIComponent(String(body.nextCursor))}`;
    } while (cursor !== '');
    expect(listed).toEqual(ids);
    expect(sizes).toEqual([2, 2, 1]);
  });

  test("keeps a module's position when it is updated, and returns the new revision", async () => {
    const organization = await app.organization();
    const older = await importThrice(app, organization);
    const newer = await importModule({}, organization);
    await importModule({ descriptor: { moduleId: older, component: 'again' } }, organization);
    const { body } = await app.as(organization, organization.member).get('/modules');
    expect(body.items).toMatchObject([
      { id: newer, revision: 1 },
      { id: older, revision: 4 },
    ]);
  });

  test.each(['limit=0', 'limit=201', 'cursor=x', `cursor=${'A'.repeat(84)}`])(
    'an invalid page is 400: %s',
    async (query) => {
      expect(problem(await read(`?${query}`))).toEqual(INVALID);
    },
  );
});

describe('one module', () => {
  test('is returned with the descriptor, roles, alert rules and files of its package', async () => {
    const translations = [{ languageId: app.api.catalogue.englishId, moduleName: 'Soil moisture' }];
    const id = await importModule({
      descriptor: { component: 'soil', offlineCapability: true, translations },
    });
    const { status, body } = await read(`/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      revision: 1,
      currentRevision: 1,
      newestRevision: 1,
      moduleVersion: 0.1,
      descriptor: {
        component: 'soil',
        offlineCapability: true,
        translations,
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

  test('names the import of each revision', async () => {
    const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue));
    expect((await read(`/${String(body.moduleId)}`)).body.importId).toBe(body.importId);
  });

  test('its ID is accepted in either letter case', async () => {
    const id = await importModule();
    expect((await read(`/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  test('?revision=N returns an older one, and the number of the current', async () => {
    const id = await importThrice(app, vendor);
    for (const revision of [1, 2, 3]) {
      expect((await read(`/${id}?revision=${revision}`)).body).toMatchObject({
        revision,
        currentRevision: 3,
        descriptor: { component: `c${revision}` },
      });
    }
    expect((await read(`/${id}`)).body.revision).toBe(3);
  });

  test('its ETag is the revision, which If-Match of an import accepts', async () => {
    const id = await importThrice(app, vendor);
    const etag = (await read(`/${id}`)).headers.get('etag') ?? '';
    expect(etag).toBe('"3"');
    const zip = samplePackage(app.api.catalogue, { descriptor: { moduleId: id, component: 'next' } });
    const answer = await app.importPackage(vendor, zip, { headers: { 'If-Match': etag } });
    expect(answer.body).toMatchObject({ outcome: 'updated', revision: 4 });
  });

  test('If-None-Match with the current revision is 304 without a body, with another one the module', async () => {
    const id = await importThrice(app, vendor);
    expect(await conditionalGet(`/${id}`, '"3"')).toEqual({ status: 304, text: '' });
    expect(await conditionalGet(`/${id}`, '"2"')).toMatchObject({ status: 200 });
  });

  test('a cached revision is no longer fresh after an update', async () => {
    const id = await importModule();
    const etag = (await read(`/${id}?revision=1`)).headers.get('etag') ?? '"none"';
    await importModule({ descriptor: { moduleId: id, component: 'later' } });
    const { status, text } = await conditionalGet(`/${id}?revision=1`, etag);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ revision: 1, currentRevision: 2 });
  });

  test.each(['0', '-1', '1.5', 'one', '', '2147483648', '99999999999', '1&revision=2'])(
    'a revision that is not an integer from 1 is 400: %s',
    async (revision) => {
      const id = await importModule();
      expect(problem(await read(`/${id}?revision=${revision}`))).toEqual(INVALID);
      expect(problem(await read(`/${id}${PAGE}?revision=${revision}`))).toEqual(INVALID);
    },
  );

  test('an unknown revision is 404', async () => {
    const id = await importModule();
    expect(problem(await read(`/${id}?revision=2`))).toEqual(NOT_FOUND);
    expect(problem(await read(`/${id}${PAGE}?revision=2147483647`))).toEqual(NOT_FOUND);
  });
});

/** A conditional GET with Node's own client: fetch sends Cache-Control: no-cache with conditional requests. */
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
    const id = await importThrice(app, vendor);
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
        releasedAt: one.updatedAt as string,
        becameCurrentAt: one.updatedAt as string,
      });
    }
  });

  test('are listed in pages', async () => {
    const id = await importThrice(app, vendor);
    const first = (await read(`/${id}/revisions?limit=2`)).body;
    const second = (await read(`/${id}/revisions?limit=2&cursor=${String(first.nextCursor)}`)).body;
    expect(first.items).toMatchObject([{ revision: 3 }, { revision: 2 }]);
    expect(second).toMatchObject({ items: [{ revision: 1 }], nextCursor: null });
  });

  test.each(['limit=0', 'limit=201', 'cursor=x', 'cursor=0', 'cursor=2147483648'])(
    'an invalid page is 400: %s',
    async (query) => {
      expect(problem(await read(`/${await importModule()}/revisions?${query}`))).toEqual(INVALID);
    },
  );
});
