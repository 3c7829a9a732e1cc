import { afterAll, beforeAll, expect, test } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import type { SampleOptions } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

const idOf = (set: string, key: string) => app.api.catalogue.entry(set, key)?.id ?? '';

const inEnglish = (members: object) => ({ languageId: app.api.catalogue.englishId, ...members });
const inGerman = (members: object) => ({ languageId: idOf('languages', 'de'), ...members });

/** A market of its own, with a way to add modules and to search. */
async function market() {
  const vendor = await app.organization();
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  return {
    farmer,
    vendor,
    add: (translations: readonly object[], descriptor: SampleOptions['descriptor'] = {}) =>
      importSample(app, vendor, { descriptor: { translations, ...descriptor } }),
    search: (query: string, by: TestOrganization = farmer) =>
      found(by, `?query=${encodeURIComponent(query)}`),
  };
}

async function found(farmer: TestOrganization, query: string): Promise<string[]> {
  const { body } = await app.as(farmer).get(`/availableModules${query}`);
  return (body.items as { name: string }[]).map(({ name }) => name);
}

test('names and descriptions are searched in every language, by words and their beginnings, in any letter case', async () => {
  const { add, search } = await market();
  await add([
    inEnglish({ moduleName: 'Soil', description: 'Warns\nbefore the crop runs dry.' }),
    inGerman({ moduleName: 'Boden', shortDescription: 'Bewässerung je Feld' }),
  ]);
  await add([inEnglish({ moduleName: 'Weather', shortName: 'Sky-2000', description: 'Rain & "hail"' })]);
  for (const query of ['soil', 'SO', 'boden', 'bewässer', 'before', 'warns dry', 'soil feld'])
    expect(await search(query), query).toEqual(['Soil']);
  for (const query of ['sky', '2000', 'hail', 'rain & hail', "weather') | !!x:*"])
    expect(await search(query), query).toEqual(query.includes('x') ? [] : ['Weather']);
  for (const query of ['soil weather', 'nbefore', 'moduleName'])
    expect(await search(query), query).toEqual([]);
  expect(await search(' … ')).toEqual([]);
  expect(await search('  ')).toEqual(['Weather', 'Soil']);
});

test('words are found in any letter case in letters outside ASCII too', async () => {
  const { add, search } = await market();
  await add([inEnglish({ moduleName: 'Überwachung', description: 'Für GRÜNLAND' })]);
  for (const query of ['überwach', 'Überwachung', 'ÜBER', 'grün', 'Grünland', 'für'])
    expect(await search(query), query).toEqual(['Überwachung']);
});

test('modules with a matching name come first, then the newest; pages continue in that order', async () => {
  const { add, farmer } = await market();
  for (const name of ['Rain A', 'Sun A', 'Rain B', 'Sun B'])
    await add([inEnglish({ moduleName: name, description: 'About rain.' })]);
  const items = await app.as(farmer).pages<{ name: string }>('/availableModules?query=rain');
  expect(items.map(({ name }) => name)).toEqual(['Rain B', 'Rain A', 'Sun B', 'Sun A']);
});

test('only the revision that is offered is searched', async () => {
  const { add, search } = await market();
  const moduleId = await add([inEnglish({ moduleName: 'Before' })]);
  await add([inEnglish({ moduleName: 'After' })], { moduleId });
  expect(await search('before')).toEqual([]);
  expect(await search('after')).toEqual(['After']);
});

test('modules of other tenants and deleted ones are not found', async () => {
  const { add } = await market();
  await add([inEnglish({ moduleName: 'Hidden' })]);
  const other = await market();
  expect(await other.search('hidden')).toEqual([]);
});

test('category and crop filter, alone and with words', async () => {
  const { add, farmer } = await market();
  const [weather, finance] = [idOf('categories', 'weather'), idOf('categories', 'finance')];
  const [wheat, maize] = [idOf('crops', 'wheat'), idOf('crops', 'maize')];
  await add([inEnglish({ moduleName: 'One' })], { categoryId: weather, cropIds: [wheat, maize] });
  await add([inEnglish({ moduleName: 'Two' })], { categoryId: finance, cropIds: [maize] });
  await add([inEnglish({ moduleName: 'Three' })]);
  expect(await found(farmer, `?categoryId=${weather.toUpperCase()}`)).toEqual(['One']);
  expect(await found(farmer, `?cropId=${maize}`)).toEqual(['Two', 'One']);
  expect(await found(farmer, `?cropId=${maize}&categoryId=${finance}`)).toEqual(['Two']);
  expect(await found(farmer, `?cropId=${maize}&query=one`)).toEqual(['One']);
  expect(await found(farmer, `?cropId=${wheat}&query=two`)).toEqual([]);
});

test('modules of a vendor are found by its ID, alone and with words', async () => {
  const { add, farmer, vendor } = await market();
  await add([inEnglish({ moduleName: 'One' })]);
  await add([inEnglish({ moduleName: 'Two' })]);
  const other = await app.organization({ tenantId: vendor.tenantId });
  await importSample(app, other, { descriptor: { translations: [inEnglish({ moduleName: 'Two' })] } });
  expect(await found(farmer, `?vendorId=${vendor.id.toUpperCase()}`)).toEqual(['Two', 'One']);
  expect(await found(farmer, `?vendorId=${vendor.id}&query=two`)).toEqual(['Two']);
  expect(await found(farmer, `?vendorId=${farmer.id}`)).toEqual([]);
});

test('the first page has the number of all results, and the others have none', async () => {
  const { add, farmer } = await market();
  for (const moduleName of ['Rain A', 'Rain B', 'Sun']) await add([inEnglish({ moduleName })]);
  const read = async (query: string) =>
    (await app.as(farmer).get(`/availableModules?${query}`)).body as { nextCursor: string };
  const first = await read('query=rain&limit=1');
  expect(first).toMatchObject({ total: 2, items: [{ name: 'Rain B' }] });
  expect(await read(`query=rain&limit=1&cursor=${first.nextCursor}`)).toMatchObject({ total: null });
  expect(await read('query=hail')).toMatchObject({ total: 0 });
});

test('a listed module has texts in the language of the reader, else in English, prices in words, and its vendor', async () => {
  const { add, farmer } = await market();
  const moduleId = await add(
    [inEnglish({ moduleName: 'Rain', shortDescription: 'Says when' }), inGerman({ moduleName: 'Regen' })],
    {
      subscriptionOptions: [
        {
          currencyId: idOf('currencies', 'EUR'),
          paymentCycleId: idOf('paymentCycles', 'yearly'),
          regionId: idOf('regions', 'europe'),
          ...{ price: 99.5, trialLength: 30 },
        },
      ],
    },
  );
  const read = async (language: string) =>
    (await app.as(farmer).get(`/availableModules?language=${language}`)).body.items[0] as object;
  expect(await read('de-CH')).toMatchObject({ name: 'Regen', installed: false });
  expect(await read('fr')).toMatchObject({
    ...{ name: 'Rain', shortDescription: 'Says when' },
    vendorName: expect.stringMatching(/^vendor /) as string,
    prices: [
      {
        price: 99.5,
        currency: 'EUR',
        paymentCycle: 'Yearly',
        region: 'Europe',
        trialLength: 30,
      },
    ],
  });
  await app.as(farmer).put(`/installations/${moduleId}`);
  expect(await read('en')).toMatchObject({ installed: true });
});

test('the page of a module says what changed since the revision that the farmer decided about', async () => {
  const { add, farmer } = await market();
  const texts = [inEnglish({ moduleName: 'Rain' })];
  const moduleId = await add(texts, { vendorInternalCodeVersion: '1.0' });
  const changes = async () =>
    (await app.as(farmer).get(`/availableModules/${moduleId}`)).body.changes as unknown;
  expect(await changes()).toBeNull();
  await app.as(farmer).put(`/installations/${moduleId}`);
  const dataAreaIds = [idOf('dataAreas', 'FarmMember')];
  await add(texts, { moduleId, vendorInternalCodeVersion: '1.1', dataAreaIds });
  await add([inEnglish({ moduleName: 'Hail' })], { moduleId, vendorInternalCodeVersion: '1.2', dataAreaIds });
  expect(await changes()).toEqual({
    ...{ sinceRevision: 1, sinceVendorVersion: '1.0', parts: ['texts', 'dataAreas'] },
    ...{ addedDataAreaIds: dataAreaIds, removedDataAreaIds: [] },
  });
  await app.as(farmer).put(`/installations/${moduleId}`);
  // Now the farmer has the newest one: what is new in it is said.
  expect(await changes()).toMatchObject({ sinceRevision: 2, parts: ['texts'] });
});

test('texts that are longer than a search vector can be are imported, and found by their beginnings', async () => {
  const { add, search } = await market();
  const words = Array.from({ length: 4_000 }, (_, index) => `w${index.toString(36)}`).join(' ');
  const languages = app.api.catalogue.sets.get('languages')?.slice(1, 41) ?? [];
  const others = languages.map(({ id }, at) => ({
    languageId: id,
    moduleName: 'Long',
    description: words.replaceAll(' ', ` ${at}x`).slice(0, 20_000),
  }));
  await add([inEnglish({ moduleName: 'Long' }), ...others]);
  expect(await search('long')).toEqual(['Long']);
});
