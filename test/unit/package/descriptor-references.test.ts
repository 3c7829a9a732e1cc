import { describe, expect, test } from 'vitest';
import { SHIPPED_SETS } from '../../../shared/catalogue/shipped-sets.ts';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import type { PackageCatalogue } from '../../../shared/package/package-report.ts';
import { ID_SETS } from '../../../shared/package/descriptor/catalogue-id-rules.ts';
import { pathLabel } from '../../../shared/package/text/json-pointer.ts';
import {
  checkEntries,
  formatProblems,
  OTHER_ID,
  packageWithDescriptor,
} from '../../support/package-builder.ts';
import { validate } from './validated-descriptor.ts';

const shipped = loadCatalogue();
const id = (set: string, key: string) => shipped.entry(set, key)?.id ?? '';
const option = (members: object) => ({
  subscriptionOptions: [
    {
      paymentCycleId: id('paymentCycles', 'yearly'),
      currencyId: id('currencies', 'CHF'),
      price: 1,
      ...members,
    },
  ],
});
const WITHOUT_IDS = {
  ...{ hostingTypeId: null, typeId: null, cropIds: null, dataAreaIds: null },
  ...{ subscriptionOptions: null, environmentVariables: null },
  translations: ['en', 'de', 'es'].map((key) => ({
    languageId: id('languages', key),
    moduleName: 'Irrigation',
  })),
};

async function warningsOf(
  members: Readonly<Record<string, unknown>>,
  catalogue: PackageCatalogue = shipped.forPackages,
) {
  const entries = packageWithDescriptor({ ...WITHOUT_IDS, ...members });
  const { problems } = await checkEntries(entries, { catalogue });
  return formatProblems(problems).map((line) => line.replace(/ moduleSchema\.json:\d+:\d+/, ''));
}

describe('entryFileUrl', () => {
  test.each([
    ['index.html'],
    ['./assets/app.js'],
    ['/assets/app.js'],
    ['assets/app.js?v=1#top'],
    ['%61ssets/app.js'],
    ['assets/../index.html'],
    ['/'],
    ['https://cdn.vendor.example/nope.js'],
    ['//cdn.vendor.example/nope.js'],
    ['/\\cdn.vendor.example/nope.js'],
    [' http:nope.js '],
    ['http://[/nope.js'],
    ['/\\[/nope.js'],
    [''],
    [' '],
    [null],
  ])('%j is accepted without a warning', async (entryFileUrl) => {
    expect(await warningsOf({ entryFileUrl })).toEqual([]);
  });

  test.each([
    ['nope.js', 'PackageArtifact/build/nope.js'],
    ['Index.html', 'PackageArtifact/build/Index.html'],
    ['assets', 'PackageArtifact/build/assets'],
    ['assets/', 'PackageArtifact/build/assets/'],
    ['assets//app.js', 'PackageArtifact/build/assets//app.js'],
    ['assets/en:app.js', 'PackageArtifact/build/assets/en:app.js'],
    ['../../moduleSchema.json', 'PackageArtifact/build/moduleSchema.json'],
    ['%zz', 'PackageArtifact/build/%zz'],
    ['a%00b', 'PackageArtifact/build/a\\u0000b'],
  ])('%j is a warning: it names no file of the build', async (entryFileUrl, path) => {
    expect(await warningsOf({ entryFileUrl })).toEqual([
      `! descriptor-entry-file-missing /entryFileUrl | The package has no file "${path}", which entryFileUrl names.`,
    ]);
  });
});

describe('entryFileUrl of a build without index.html', () => {
  const problemsWith = async (entryFileUrl: string) => {
    const entries = packageWithDescriptor({ ...WITHOUT_IDS, entryFileUrl });
    const { problems } = await checkEntries(
      { ...entries, 'PackageArtifact/build/index.html': undefined },
      { catalogue: shipped.forPackages },
    );
    return formatProblems(problems).map((line) => line.replace(/^.* \| /, ''));
  };

  test('is a warning where it is the folder, and none where it is blank', async () => {
    expect(await problemsWith('/')).toEqual([
      'The package has no file "PackageArtifact/build/", which entryFileUrl names.',
    ]);
    expect(await problemsWith(' \n')).toEqual([]);
  });
});

describe('IDs of the catalogue', () => {
  test('of the right set are accepted without a warning', async () => {
    expect(await warningsOf({ typeId: id('types', 'widget').toUpperCase() })).toEqual([]);
  });

  test('that nobody knows are a warning, and a known ID that differs in one or two digits is named', async () => {
    const known = id('categories', 'weather');
    const inEnd = (end: string) => known.slice(0, -end.length) + end;
    const where =
      'The IDs are at /api/v8.0/CommonData/categories; modulectl catalogue categories lists them.';
    const warning = '! descriptor-id-unknown /categoryId | categoryId is not an ID of categories.';
    const hint = `Did you mean ${known}, the ID of Weather?`;
    expect(known).toMatch(/[^g][^g]$/);
    expect(await warningsOf({ categoryId: OTHER_ID })).toEqual([`${warning} ${where}`]);
    for (const last of ['00', '11'])
      expect(await warningsOf({ categoryId: inEnd(last) })).toEqual([`${warning} ${hint} ${where}`]);
  });

  test('are ordinary text in members that are no IDs', async () => {
    const crop = id('crops', 'wheat');
    const members = { vendorInternalCodeVersion: crop, scope: crop };
    const variable = { appEnvironmentId: id('appEnvironments', 'production'), key: crop, value: crop };
    expect(await warningsOf({ ...members, environmentVariables: [variable] })).toEqual([]);
  });

  test('are not looked for in a set that the catalogue does not have', async () => {
    const catalogue = loadCatalogue('{"categories": []}').forPackages;
    expect(await warningsOf({ categoryId: OTHER_ID }, catalogue)).toEqual([]);
  });

  test('of a catalogue file are those that count', async () => {
    const own = { id: OTHER_ID, key: 'horticulture', value: 'Horticulture' };
    const catalogue = loadCatalogue(JSON.stringify({ categories: [own] })).forPackages;
    expect(await warningsOf({ categoryId: OTHER_ID }, catalogue)).toEqual([]);
    expect(await warningsOf({ categoryId: 'Horticulture' }, catalogue)).toEqual([
      `✗ descriptor-invalid /categoryId | categoryId must be an ID: use ${OTHER_ID}, the ID of horticulture.`,
    ]);
    expect(await warningsOf({ categoryId: id('categories', 'weather') }, catalogue)).toHaveLength(1);
  });

  test.each([
    ['/subscriptionOptions/0/currencyId', option({ currencyId: 'eur' }), 'currencies', 'EUR'],
    [
      '/subscriptionOptions/0/paymentCycleId',
      option({ paymentCycleId: 'Monthly' }),
      'paymentCycles',
      'monthly',
    ],
    ['/cropIds/0', { cropIds: ['SugarBeet'] }, 'crops', 'sugarBeet'],
    ['/categoryId', { categoryId: 'Crop protection' }, 'categories', 'cropProtection'],
    ['/dataAreaIds/0', { dataAreaIds: ['farmorganization'] }, 'dataAreas', 'FarmOrganization'],
    [
      '/translations/0/languageId',
      { translations: [{ languageId: 'EN', moduleName: 'A' }] },
      'languages',
      'en',
    ],
  ])('are not written as keys or names: at %s the ID is named', async (pointer, members, set, key) => {
    const at = (await warningsOf(members)).filter((each) => each.includes(` ${pointer} `));
    expect(at).toEqual([
      `✗ descriptor-invalid ${pointer} | ${pathLabel(pointer)} must be an ID: use ${id(set, key)}, the ID of ${key}.`,
    ]);
  });

  test.each([
    ['montly', 'paymentCycles', 'monthly'],
    ['sugar-bet', 'crops', 'sugarBeet'],
  ])(
    'are not written as misspelt keys either: for %s the ID of the nearest is named',
    async (key, set, meant) => {
      const members = set === 'crops' ? { cropIds: [key] } : option({ paymentCycleId: key });
      const found = (await warningsOf(members)).filter((each) => each.includes('must be an ID'));
      expect(found.map((each) => each.replace(/^.* must be an ID: /, ''))).toEqual([
        `did you mean ${id(set, meant)}, the ID of ${meant}?`,
      ]);
    },
  );

  test.each([
    [100, /must be an ID: use ffffffff-/],
    [101, /must be a GUID/],
  ])('are found by a name of at most 100 characters: %i', async (length, answer) => {
    const own = { id: OTHER_ID, key: 'k', value: 'n'.repeat(length) };
    const catalogue = loadCatalogue(JSON.stringify({ categories: [own] })).forPackages;
    expect(await warningsOf({ categoryId: own.value }, catalogue)).toEqual([expect.stringMatching(answer)]);
  });

  const unknown = (count: number) =>
    Array.from({ length: count }, (_, index) => OTHER_ID.slice(0, -4) + String(1_000 + index));

  test('are looked up until a thousand of their set are unknown', () => {
    const pointers = (count: number) =>
      validate({ dataAreaIds: unknown(count) }).problems.map(({ code, pointer }) => `${code} ${pointer}`);
    expect(pointers(1_000)).toHaveLength(1_000);
    expect(pointers(1_002)).toEqual(pointers(1_000));
  });

  test('of data areas and languages are looked up after a thousand unknown IDs of another set', async () => {
    const [languageId] = unknown(1);
    const translations = [...WITHOUT_IDS.translations, { languageId, moduleName: 'Irrigation' }];
    const found = await warningsOf({ cropIds: unknown(1_000), dataAreaIds: unknown(1), translations });
    expect(found.filter((each) => each.startsWith('✗')).map((each) => each.split(' | ')[0])).toEqual([
      '✗ descriptor-data-area-unknown /dataAreaIds/0',
      '✗ descriptor-language-unknown /translations/3/languageId',
    ]);
  });

  test('are not guessed from a text that is no name of the set', async () => {
    const found = await warningsOf({ cropIds: ['x', 'y'.repeat(1_000)] });
    expect(found.filter((each) => each.includes('did you mean'))).toEqual([]);
  });

  test.each([
    ['/typeId', { typeId: id('federationTypes', 'iframe').toUpperCase() }, 'federationTypes, not of types'],
    [
      '/cropIds/1',
      { cropIds: [id('crops', 'wheat'), id('requirements', 'camera')] },
      'requirements, not of crops',
    ],
    [
      '/subscriptionOptions/0/currencyId',
      option({ currencyId: id('regions', 'world') }),
      'regions, not of currencies',
    ],
    [
      '/environmentVariables/0/appEnvironmentId',
      { environmentVariables: [{ appEnvironmentId: id('environments', 'web'), key: 'A', value: 'b' }] },
      'environments, not of appEnvironments',
    ],
  ])('of another set are a warning at %s', async (pointer, members, detail) => {
    expect(await warningsOf(members)).toEqual([
      expect.stringMatching(
        new RegExp(`^! descriptor-id-of-other-set ${pointer} \\| \\S+ is an ID of ${detail}\\.$`),
      ),
    ]);
  });

  test('every set whose IDs are distinguished is shipped', () =>
    expect(ID_SETS.filter((set) => !(set in SHIPPED_SETS))).toEqual([]));
});

describe('deploymentType', () => {
  test.each([[0], [2], [null]])('%j is accepted', async (deploymentType) => {
    expect(await warningsOf({ deploymentType })).toEqual([]);
  });

  test('that the catalogue does not have is a warning', async () => {
    expect(await warningsOf({ deploymentType: 77 })).toEqual([
      '! descriptor-deployment-type-unknown /deploymentType | The deployment type 77 is not in the catalogue, which has 0, 1, 2. It is kept as it is.',
    ]);
  });

  test('outside the catalogue is a warning that lists at most twenty known types', async () => {
    const deploymentTypes = new Set(Array.from({ length: 21 }, (_, index) => String(index)));
    const known = [...deploymentTypes].slice(0, 20).join(', ');
    expect(await warningsOf({ deploymentType: 77 }, { ...shipped.forPackages, deploymentTypes })).toEqual([
      expect.stringContaining(`the catalogue, which has ${known}. It is kept`),
    ]);
  });

  test('is any number where the catalogue has no deployment types', async () => {
    const catalogue = { ...shipped.forPackages, deploymentTypes: new Set<string>() };
    expect(await warningsOf({ deploymentType: 77 }, catalogue)).toEqual([]);
  });
});
