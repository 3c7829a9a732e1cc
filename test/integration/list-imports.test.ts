import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import {
  startTestApp,
  type Answer,
  type ImportOptions,
  type TestApp,
  type TestOrganization,
} from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

const WITHOUT_NAME = { translations: [] };

async function importSample(
  vendor: TestOrganization,
  sample: SampleOptions = {},
  options: ImportOptions = {},
): Promise<Answer> {
  return app.importPackage(vendor, samplePackage(app.api.catalogue, sample), options);
}

/** An update of a module that is rejected for its descriptor; returns its import's ID. */
async function refusedUpdate(vendor: TestOrganization, moduleId: string): Promise<string> {
  const answer = await importSample(vendor, { descriptor: { moduleId, ...WITHOUT_NAME } });
  expect(answer.status, answer.text).toBe(400);
  return String(answer.body.importId);
}

async function list(vendor: TestOrganization, query: string): Promise<Answer> {
  return app.as(vendor, vendor.member).get(`/imports${query}`);
}

/** The imports of a list that has one page. */
async function listed(vendor: TestOrganization, query: string): Promise<string[]> {
  const { body } = await list(vendor, query);
  expect(body.nextCursor).toBeNull();
  return (body.items as { importId: string }[]).map(({ importId }) => importId);
}

test('imports are listed newest first, in pages', async () => {
  const vendor = await app.organization();
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.unshift(String((await importSample(vendor)).body.importId));
  const first = await list(vendor, '?limit=2');
  const second = await list(vendor, `?limit=2&cursor=${String(first.body.nextCursor)}`);
  const items = [...first.body.items, ...second.body.items] as { importId: string }[];
  expect(items.map(({ importId }) => importId)).toEqual(ids);
  expect(second.body.nextCursor).toBeNull();
});

describe('the imports of a module', () => {
  test('include those that created it and those that were rejected, whatever the letter case', async () => {
    const vendor = await app.organization();
    const { moduleId, importId } = (await importSample(vendor)).body as Record<string, string>;
    await importSample(vendor);
    const refused = await refusedUpdate(vendor, String(moduleId).toUpperCase());
    expect(await listed(vendor, `?moduleId=${moduleId}`)).toEqual([refused, importId]);
    expect(await listed(vendor, `?moduleId=${moduleId}&status=rejected`)).toEqual([refused]);
  });

  test('are listed in pages, including rejected ones', async () => {
    const vendor = await app.organization();
    const moduleId = randomUUID();
    const ids = [await refusedUpdate(vendor, moduleId)];
    ids.unshift(String((await importSample(vendor, { descriptor: { moduleId } })).body.importId));
    ids.unshift(await refusedUpdate(vendor, moduleId));
    const found: string[] = [];
    for (let cursor = ''; found.length < ids.length;) {
      const { body } = await list(vendor, `?moduleId=${moduleId}&limit=1${cursor}`);
      found.push(...(body.items as { importId: string }[]).map(({ importId }) => importId));
      cursor = `&cursor=${String(body.nextCursor)}`;
    }
    expect(found).toEqual(ids);
  });

  test.each<[string, SampleOptions, ImportOptions]>([
    ['the registry refused', {}, { headers: { 'If-Match': '"7"' } }],
    ['a validation rejected', { descriptor: WITHOUT_NAME }, { query: '?validateOnly=true' }],
    ['were rejected for a file beside the descriptor', { files: { 'stray.txt': 'x' } }, {}],
  ])('also include those that %s', async (_, { descriptor, files = {} }, options) => {
    const vendor = await app.organization();
    const moduleId = randomUUID();
    const refused = await importSample(vendor, { descriptor: { moduleId, ...descriptor }, files }, options);
    expect(refused.status, refused.text).toBeGreaterThanOrEqual(400);
    expect(await listed(vendor, `?moduleId=${moduleId}`)).toEqual([refused.body.importId]);
  });

  test('exclude packages that were rejected before their descriptor was read, or whose module ID is invalid', async () => {
    const vendor = await app.organization();
    const moduleId = randomUUID();
    const descriptor = `{ "moduleId": "${moduleId}", `;
    await importSample(vendor, { files: { 'moduleSchema.json': descriptor } });
    await importSample(vendor, { descriptor: { moduleId: `${moduleId}0` } });
    await app.importPackage(vendor, Buffer.from('no ZIP'));
    expect(await listed(vendor, `?moduleId=${moduleId}`)).toEqual([]);
    expect(await listed(vendor, '?status=rejected')).toHaveLength(3);
  });

  test("are only the own organization's, even if another organization's package names the module", async () => {
    const [owner, rival] = [await app.organization(), await app.organization()];
    const { moduleId, importId } = (await importSample(owner)).body as Record<string, string>;
    const refused = await importSample(rival, { descriptor: { moduleId } });
    expect(await listed(owner, `?moduleId=${moduleId}`)).toEqual([importId]);
    expect(await listed(rival, `?moduleId=${moduleId}`)).toEqual([refused.body.importId]);
  });

  test('do not change the module: its last import is the one that created it', async () => {
    const vendor = await app.organization();
    const { moduleId, importId } = (await importSample(vendor)).body as Record<string, string>;
    const refused = await refusedUpdate(vendor, String(moduleId));
    const read = async (path: string) =>
      app.fetch(`/api/v8.0/${vendor.id}${path}`, { headers: { Authorization: vendor.member } });
    expect((await read(`/imports/${refused}`)).body).toMatchObject({ status: 'rejected', moduleId: null });
    expect((await read('/modules')).body.items).toMatchObject([{ lastImport: { importId } }]);
  });
});

describe('the imports of all organizations', () => {
  /** Imports with these statuses, each of another organization, oldest first. */
  async function importsThatEnded(...statuses: readonly string[]): Promise<void> {
    for (const status of statuses) {
      const { body } = await importSample(await app.organization());
      await app.api.database('imports').where({ id: body.importId }).update({ status });
    }
  }

  async function listAll(query: string): Promise<Answer> {
    const headers = { Authorization: await app.bearer({ operator: true }) };
    return app.fetch(`/api/v8.0/operations/imports${query}`, { headers });
  }

  test('in one status are listed in pages, whatever imports are between them', async () => {
    await importsThatEnded('failed', 'succeeded', 'failed', 'rejected');
    const first = await listAll('?status=failed&limit=1');
    const second = await listAll(`?status=failed&limit=1&cursor=${String(first.body.nextCursor)}`);
    const items = [...first.body.items, ...second.body.items] as { importId: string; status: string }[];
    expect(items.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(new Set(items.map(({ importId }) => importId)).size).toBe(2);
    expect(second.body.nextCursor).toBeNull();
  });

  test.each(['?status=broken', '?status=', '?status=failed&status=failed'])(
    'are not listed by an unknown status: %s',
    async (query) => {
      expect((await listAll(query)).status).toBe(400);
    },
  );
});
