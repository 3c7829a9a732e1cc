import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { PIXEL, type SampleOptions } from '../support/sample-package.ts';
import { areaIds } from '../support/machine-access.ts';
import { countInstallations } from '../../shared/db/statistics/module-statistics.ts';
import { timestamp } from '../../api/http/answer.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let farmer: TestOrganization;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await app.organization();
  farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
});

afterAll(() => app.stop());

/** IDs of data areas in the order in which they are stored. */
const areas = (...keys: readonly string[]) => areaIds(app, keys).toSorted();

const inEnglish = () => ({
  translations: [{ languageId: app.api.catalogue.englishId, moduleName: 'Soil moisture' }],
});
const importModule = (options?: SampleOptions, owner = vendor) => importSample(app, owner, options);

const install = (moduleId: string) => app.as(farmer).put(`/installations/${moduleId}`);

test('a module is returned with its translations, logo, data areas and definition, without scope and variables', async () => {
  const moduleId = await importModule({
    descriptor: {
      ...inEnglish(),
      scope: `scope-${randomUUID()}`,
      dataAreaIds: areas('FarmOrganization'),
      environmentVariables: [{ appEnvironmentId: randomUUID(), key: 'SECRET_KEY', value: 'hush-hush' }],
    },
  });
  const { status, body, text } = await app.as(farmer, farmer.member).get(`/availableModules/${moduleId}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    id: moduleId,
    moduleVersion: 0.1,
    revision: 1,
    name: 'Soil moisture',
    shortDescription: null,
    releasedAt: expect.stringMatching(/\+00:00$/) as string,
    vendorId: vendor.id,
    vendorName: `vendor ${vendor.id}`,
    vendorVerified: false,
    vendorVersion: null,
    description: null,
    websiteUrl: null,
    websiteName: null,
    supportContact: null,
    categoryId: null,
    cropIds: [],
    prices: [],
    installations: 0,
    installed: false,
    images: [],
    dataAreas: [
      {
        id: areas('FarmOrganization')[0],
        key: 'FarmOrganization',
        name: 'Farm organization',
        description: expect.stringContaining('blocks') as string,
        reason: null,
      },
    ],
    entities: [{ name: 'Readings', intention: 'Charts', internalOnly: true }],
    dependencies: [],
    terms: [expect.objectContaining({ path: 'ModuleToS/terms.md', countryId: 'US', languageId: 'en' })],
    privacy: [expect.objectContaining({ path: 'ModulePrivacy/privacy.md', mediaType: 'text/markdown' })],
    ...{ withdrawnReason: null, deprecationMessage: null, successorModuleId: null, quarantineReason: null },
    releaseNotes: null,
    changes: null,
    translations: [expect.objectContaining({ moduleName: 'Soil moisture', description: null })],
    logos: [
      {
        path: 'ModuleLogo/logo.png',
        mediaType: 'image/png',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ],
    dataAreaIds: areas('FarmOrganization'),
    alertRules: expect.objectContaining({ schema: 1.1 }) as object,
    createdAt: expect.stringMatching(/\+00:00$/) as string,
    updatedAt: expect.stringMatching(/\+00:00$/) as string,
  });
  expect(text).not.toMatch(/scope|SECRET_KEY|hush-hush/);
});

test('terms have the date of the first revision with this content, and changed ones that of the revision that changed them', async () => {
  const moduleId = await importModule();
  const dated = async () => {
    const { body } = await app.as(farmer).get(`/availableModules/${moduleId}`);
    const [terms, privacy] = [body.terms, body.privacy] as { publishedAt: string }[][];
    return { terms: terms?.[0]?.publishedAt, privacy: privacy?.[0]?.publishedAt };
  };
  const importedAt = async (revision: number) => {
    const row = await app.api
      .database('module_revisions')
      .where({ moduleId, revision })
      .first<{ createdAt: Date }>('createdAt');
    return timestamp(row.createdAt);
  };
  const first = await importedAt(1);
  expect(await dated()).toEqual({ terms: first, privacy: first });
  await importModule({ descriptor: { moduleId }, files: { 'ModuleToS/terms.md': 'Other terms' } });
  expect(await dated()).toEqual({ terms: await importedAt(2), privacy: first });
});

test('list and page say whether an operator has verified the vendor', async () => {
  const own = await app.organization();
  const buyer = await app.organization({ kind: 'farmer', tenantId: own.tenantId });
  const moduleId = await importModule({}, own);
  const shown = async () => {
    const page = await app.as(buyer).get(`/availableModules/${moduleId}`);
    const [item] = await app.as(buyer).pages<{ vendorVerified: boolean }>('/availableModules');
    return [page.body.vendorVerified as boolean, item?.vendorVerified];
  };
  expect(await shown()).toEqual([false, false]);
  const { body } = await app.as('operator').get(`/organizations/${own.id}`);
  const { name, kind, tenantId } = body;
  await app.as('operator').put(`/organizations/${own.id}`, { name, kind, tenantId, verified: true });
  expect(await shown()).toEqual([true, true]);
});

test('list and page say how many organizations have the module installed, as a worker has counted them', async () => {
  const own = await app.organization();
  const buyer = await app.organization({ kind: 'farmer', tenantId: own.tenantId });
  const other = await app.organization({ kind: 'farmer', tenantId: own.tenantId });
  const moduleId = await importModule({}, own);
  const counts = async () => {
    await countInstallations(app.api.database);
    const page = await app.as(buyer).get(`/availableModules/${moduleId}`);
    const [item] = await app.as(buyer).pages<{ installations: number }>('/availableModules');
    return [page.body.installations as number, item?.installations];
  };
  for (const each of [buyer, other]) await app.as(each).put(`/installations/${moduleId}`);
  expect(await counts()).toEqual([2, 2]);
  await app.as(buyer).delete(`/installations/${moduleId}`);
  expect(await counts()).toEqual([1, 1]);
  await app.as(other).delete(`/installations/${moduleId}`);
  expect(await counts()).toEqual([0, 0]);
});

test('installations are counted while one of their modules is being written: that one the next time', async () => {
  const [locked, free] = [await importModule(), await importModule()];
  for (const moduleId of [locked, free]) await install(moduleId);
  const { database } = app.api;
  await database.transaction(async (transaction) => {
    await transaction('modules').where({ id: locked }).forUpdate().select('id');
    await countInstallations(database);
  });
  const stored = async (id: string) => {
    const row = await database('modules').where({ id }).first<{ installations: number }>('installations');
    return row.installations;
  };
  expect(await stored(free)).toBe(1);
  expect(await stored(locked)).toBe(0);
  await countInstallations(database);
  expect(await stored(locked)).toBe(1);
});

test("the list has names, logos and data areas of the farmer's tenant, newest first, in pages", async () => {
  const own = await app.organization();
  const buyer = await app.organization({ kind: 'farmer', tenantId: own.tenantId });
  const colleague = await app.organization({ tenantId: own.tenantId });
  const ids: string[] = [];
  for (const owner of [own, colleague, own])
    ids.unshift(await importModule({ descriptor: inEnglish() }, owner));
  const items = await app.as(buyer).pages<{ id: string }>('/availableModules');
  expect(items.map(({ id }) => id)).toEqual(ids);
  expect(items[0]).toMatchObject({
    translations: [{ languageId: app.api.catalogue.englishId, moduleName: 'Soil moisture', shortName: null }],
    logos: [{ path: 'ModuleLogo/logo.png', mediaType: 'image/png' }],
    dataAreaIds: [],
  });
  expect(items[0]).not.toHaveProperty('alertRules');
});

test('an offer has the reasons for its data areas and its release notes in the language asked, else in English', async () => {
  const [needed = '', other = ''] = areaIds(app, ['FarmOrganization', 'FarmOrganizationAlerts']);
  const { catalogue } = app.api;
  const german = { languageId: catalogue.entry('languages', 'de')?.id, moduleName: 'Boden' };
  const english = {
    ...{ languageId: catalogue.englishId, moduleName: 'Soil', releaseNotes: '# Faster' },
    dataAreaReasons: { [needed.toUpperCase()]: 'To find your fields.', [other]: 'To warn you.' },
  };
  const translations = [english, { ...german, dataAreaReasons: { [needed]: 'Um Felder zu finden.' } }];
  const moduleId = await importModule({ descriptor: { dataAreaIds: [needed, other], translations } });
  const read = async (language: string) => {
    const { body } = await app.as(farmer).get(`/availableModules/${moduleId}?language=${language}`);
    const reasons = (body['dataAreas'] as { id: string; reason: string | null }[]).map(
      ({ id, reason }) => [id, reason] as const,
    );
    return { notes: body['releaseNotes'], reasons: Object.fromEntries(reasons) as object };
  };
  expect(await read('de')).toEqual({
    notes: '# Faster',
    reasons: { [needed]: 'Um Felder zu finden.', [other]: 'To warn you.' },
  });
  expect(await read('fr')).toEqual({
    notes: '# Faster',
    reasons: { [needed]: 'To find your fields.', [other]: 'To warn you.' },
  });
  // A language that an update does not mention keeps its reasons; notes are only the update's.
  const update = { moduleId, dataAreaIds: [needed], translations: [{ ...english, releaseNotes: 'Fixes' }] };
  await importModule({ descriptor: update });
  expect(await read('de')).toEqual({ notes: 'Fixes', reasons: { [needed]: 'Um Felder zu finden.' } });
});

test('images, logos, terms and privacy statements are sent with the headers of a hostile file; nothing else is', async () => {
  const gif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
  const moduleFiles = [{ file: 'ModuleLogo/a.png' }, { file: 'ModuleLogo/b.gif' }];
  const files = {
    'ModuleLogo/logo.png': null,
    'ModuleLogo/a.png': PIXEL,
    'ModuleLogo/b.gif': gif,
  };
  const moduleId = await importModule({ descriptor: { moduleFiles }, files });
  const url = `${app.url}/api/v8.0/${farmer.id}/availableModules/${moduleId}/files`;
  const init = { headers: { Authorization: farmer.member } };
  const first = await fetch(`${url}/ModuleLogo/a.png`, init);
  expect(first.headers.get('content-type')).toBe('image/png');
  expect(first.headers.get('x-content-type-options')).toBe('nosniff');
  expect(first.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(Buffer.from(await first.arrayBuffer())).toEqual(PIXEL);
  const named = await fetch(`${url}/ModuleLogo/b.gif`, init);
  expect(named.headers.get('content-type')).toBe('image/gif');
  const known = await fetch(`${url}/ModuleLogo/a.png`, {
    headers: { ...init.headers, 'If-None-Match': first.headers.get('etag') ?? '' },
  });
  expect(known.status).toBe(304);
  for (const path of ['ModuleToS/terms.md', 'ModulePrivacy/privacy.md']) {
    const { status, headers } = await fetch(`${url}/${path}`, init);
    expect([status, headers.get('content-disposition')?.startsWith('attachment')]).toEqual([200, true]);
  }
  for (const path of ['ModuleLogo/c.png', 'PackageArtifact/build/index.html', 'moduleSchema.json', 'a%00b'])
    expect((await fetch(`${url}/${path}`, init)).status, path).toBe(404);
});

test('a module of another tenant, a deleted one and an unknown one are not found', async () => {
  const foreign = await importModule({}, await app.organization());
  const deleted = await importModule();
  await app.as(vendor).delete(`/modules/${deleted}`);
  for (const moduleId of [foreign, deleted, randomUUID()]) {
    expect((await app.as(farmer).get(`/availableModules/${moduleId}`)).status).toBe(404);
    expect((await app.as(farmer).get(`/availableModules/${moduleId}/files/ModuleLogo/logo.png`)).status).toBe(
      404,
    );
    expect((await install(moduleId)).status).toBe(404);
  }
  const listed = await app.as(farmer).pages<{ id: string }>('/availableModules');
  expect(listed.map(({ id }) => id)).not.toContain(foreign);
  expect(listed.map(({ id }) => id)).not.toContain(deleted);
});
