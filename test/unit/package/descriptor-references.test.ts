import { describe, expect, test } from 'vitest';
import { SHIPPED_SETS } from '../../../shared/catalogue/shipped-sets.ts';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { ID_SETS } from '../../../shared/package/descriptor/catalogue-id-rules.ts';
import {
  checkEntries,
  formatProblems,
  OTHER_ID,
  packageWithDescriptor,
  testCatalogue,
} from '../../support/package-builder.ts';

const shipped = loadCatalogue();
const id = (set: string, key: string) => shipped.entry(set, key)?.id ?? '';
const { setsOfIds, deploymentTypes } = shipped.forPackages;

async function warningsOf(
  members: Readonly<Record<string, unknown>>,
  catalogue = { setsOfIds, deploymentTypes },
) {
  const entries = packageWithDescriptor(members);
  const { problems } = await checkEntries(entries, { catalogue: { ...testCatalogue, ...catalogue } });
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
    [''],
    [null],
  ])('%j is accepted without a warning', async (entryFileUrl) => {
    expect(await warningsOf({ entryFileUrl })).toEqual([]);
  });

  test.each([
    ['nope.js', 'PackageArtifact/build/nope.js'],
    ['Index.html', 'PackageArtifact/build/Index.html'],
    ['assets', 'PackageArtifact/build/assets'],
    ['../../moduleSchema.json', 'PackageArtifact/build/moduleSchema.json'],
    ['%zz', 'PackageArtifact/build/%zz'],
    ['a%00b', 'PackageArtifact/build/a\\u0000b'],
  ])('%j is a warning: it names no file of the build', async (entryFileUrl, path) => {
    expect(await warningsOf({ entryFileUrl })).toEqual([
      `! descriptor-entry-file-missing /entryFileUrl | The package has no file "${path}", which entryFileUrl names.`,
    ]);
  });
});

describe('IDs of the catalogue', () => {
  test('of the right set, or of no set, are accepted without a warning', async () => {
    expect(await warningsOf({ typeId: id('types', 'widget').toUpperCase(), categoryId: OTHER_ID })).toEqual(
      [],
    );
  });

  test.each([
    ['/typeId', { typeId: id('federationTypes', 'iframe').toUpperCase() }, 'federationTypes, not of types'],
    ['/cropIds/1', { cropIds: [OTHER_ID, id('requirements', 'camera')] }, 'requirements, not of crops'],
    [
      '/subscriptionOptions/0/currencyId',
      { subscriptionOptions: [{ paymentCycleId: OTHER_ID, currencyId: id('regions', 'world'), price: 1 }] },
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

  test('is any number where the catalogue has no deployment types', async () => {
    const catalogue = { setsOfIds, deploymentTypes: new Set<string>() };
    expect(await warningsOf({ deploymentType: 77 }, catalogue)).toEqual([]);
  });
});
