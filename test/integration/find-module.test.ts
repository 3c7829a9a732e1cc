import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

async function importNamed(moduleName: string) {
  const vendor = await app.organization();
  const translations = [{ languageId: app.api.catalogue.englishId, moduleName }];
  return { vendor, moduleId: await importSample(app, vendor, { descriptor: { translations } }) };
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
