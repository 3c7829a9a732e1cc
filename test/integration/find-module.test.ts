import { afterAll, beforeAll, expect, test } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

async function importNamed(moduleName: string, query = '') {
  const vendor = await app.organization();
  const translations = [{ languageId: app.api.catalogue.englishId, moduleName }];
  const archive = samplePackage(app.api.catalogue, { descriptor: { translations } });
  const { body } = await app.importPackage(vendor, archive, { query });
  return { vendor, moduleId: String(body.moduleId) };
}

async function found(query: string) {
  const { body } = await app.as('operator').get(`/operations/modules?${query}`);
  return body.items as readonly { readonly id: string }[];
}

const idsOf = async (query: string) => (await found(query)).map(({ id }) => id);

test('operators find a module of any vendor by the beginnings of the words of its name, and by its ID', async () => {
  const { vendor, moduleId } = await importNamed('Drizzle forecast');
  const other = await importNamed('Drizzle history');
  expect(await found('query=DRIZZ%20fore')).toEqual([
    {
      id: moduleId,
      ...{ name: 'Drizzle forecast', organizationId: vendor.id, scope: null, quarantine: null },
      organizationName: expect.any(String),
    },
  ]);
  expect(await idsOf('query=drizzle')).toEqual([other.moduleId, moduleId]);
  expect(await idsOf(`query=${moduleId}`)).toEqual([moduleId]);
  expect(await idsOf('query=drizzle%20nowhere')).toEqual([]);
});

test('a module in quarantine is listed with the others of its kind after its deletion, and found no more', async () => {
  const { vendor, moduleId } = await importNamed('Hail alarm');
  await app.as('operator').post(`/operations/modules/${moduleId}/quarantine`, { reason: 'Malware' });
  expect(await found('query=hail&quarantined=true')).toMatchObject([
    { id: moduleId, quarantine: { reason: 'Malware' } },
  ]);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect(await idsOf('query=hail')).toEqual([]);
  expect(await found('quarantined')).toMatchObject([{ id: moduleId, quarantine: { reason: 'Malware' } }]);
});

test('a module that was never released is found by the names of its newest revision', async () => {
  const { vendor, moduleId } = await importNamed('Frost-watch', '?release=staged');
  expect(await idsOf('query=watch%20fro')).toEqual([moduleId]);
  const translations = [{ languageId: app.api.catalogue.englishId, moduleName: 'Ice', shortName: 'Icy' }];
  const renamed = samplePackage(app.api.catalogue, { descriptor: { moduleId, translations } });
  await app.importPackage(vendor, renamed, { query: '?release=staged' });
  expect(await idsOf('query=frost')).toEqual([]);
  expect(await idsOf('query=ice%20icy')).toEqual([moduleId]);
  expect(await idsOf('query=moduleName')).toEqual([]);
});

test('a module that was never released is found in any letter case in letters outside ASCII too', async () => {
  const { moduleId } = await importNamed('Ölsaaten-GRÜN', '?release=staged');
  for (const query of ['öls', 'Ölsaaten', 'ÖLSAATEN', 'grün'])
    expect(await idsOf(`query=${encodeURIComponent(query)}`), query).toEqual([moduleId]);
});

test('a search of punctuation finds nothing, and a blank one everything', async () => {
  const { moduleId } = await importNamed('Snow');
  expect(await idsOf('query=!!%20…')).toEqual([]);
  expect(await idsOf('query=%20')).toContain(moduleId);
});
