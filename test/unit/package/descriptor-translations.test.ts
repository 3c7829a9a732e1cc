import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { validateDescriptor } from '../../../shared/package/descriptor/validate-descriptor.ts';
import { PLACEHOLDER_ADDRESSES, PLACEHOLDER_TEXTS } from '../../../shared/package/placeholders.ts';
import {
  ALERTS_AREA_ID,
  EMPTY_ID,
  ENGLISH_ID,
  FARM_AREA_ID,
  formatProblems,
  GERMAN_ID,
  jsonText,
  OTHER_ID,
  SPANISH_ID,
  testCatalogue,
} from '../../support/package-builder.ts';
import { validate, problemsOf, locations, translated } from './validated-descriptor.ts';

describe('translations', () => {
  test('are required, and English is among them', () => {
    expect(problemsOf({ translations: undefined })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:1 /translations | translations is missing.",
      ]
    `);
    expect(problemsOf({ translations: null })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :3:19 /translations | translations must be an array; it is null.",
      ]
    `);
    expect(problemsOf({ translations: [] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-english-missing :3:19 /translations | No translation has the languageId of English, 11111111-1111-4111-8111-111111111111.",
      ]
    `);
    expect(problemsOf({ translations: {} })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :3:19 /translations | translations must be an array; it is an object.",
      ]
    `);
    expect(locations({ translations: [{ languageId: GERMAN_ID, moduleName: 'A' }] })).toEqual([
      '✗ descriptor-english-missing :3:19 /translations',
    ]);
  });

  test('English is accepted even where the catalogue does not list it', () => {
    const catalogue = { ...testCatalogue, sets: new Map(), recommendedLanguages: new Map() };
    const text = jsonText({ schema: '1.0', ...translated() });
    expect(validateDescriptor(Buffer.from(text), catalogue, new Set()).problems).toEqual([]);
  });

  test('have a languageId and a moduleName that is not blank', () =>
    expect(
      problemsOf(
        translated({}, { languageId: EMPTY_ID, moduleName: ' ' }, { languageId: null, moduleName: null }, 5),
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :8:5 /translations/1/languageId | translations[1].languageId is missing.",
        "✗ descriptor-invalid :8:5 /translations/1/moduleName | translations[1].moduleName is missing.",
        "✗ descriptor-invalid :10:21 /translations/2/languageId | translations[2].languageId must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one; it is "00000000-0000-0000-0000-000000000000".",
        "✗ descriptor-invalid :11:21 /translations/2/moduleName | translations[2].moduleName must be text that is not blank, without NUL characters and lone surrogates; it is " ".",
        "✗ descriptor-invalid :14:21 /translations/3/languageId | translations[3].languageId must be a string; it is null.",
        "✗ descriptor-invalid :15:21 /translations/3/moduleName | translations[3].moduleName must be a string; it is null.",
        "✗ descriptor-invalid :17:5 /translations/4 | translations[4] must be an object; it is 5.",
      ]
    `));

  test('are one per language, in any letter case', () => {
    expect(
      problemsOf(
        translated(
          { languageId: SPANISH_ID.toUpperCase(), moduleName: 'B' },
          { languageId: SPANISH_ID, moduleName: 'C' },
        ),
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-translation-duplicate :13:21 /translations/2/languageId | The language 33333333-3333-4333-8333-333333333333 has two translations; only one is allowed.",
      ]
    `);
    expect(problemsOf(translated({ languageId: ENGLISH_ID, moduleName: 'B' }))).toHaveLength(1);
  });

  test('must be in languages of the catalogue', () =>
    expect(problemsOf(translated({ languageId: OTHER_ID, moduleName: 'B' }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-language-unknown :9:21 /translations/1/languageId | translations[1].languageId is not an ID of languages. The IDs are at /api/v8.0/CommonData/languages; modulectl catalogue languages lists them.",
      ]
    `));

  test('return their languages in lower case', () => {
    const named = { key: 'x', value: 'X' };
    const languages = new Map([ENGLISH_ID, FARM_AREA_ID].map((id) => [id, named]));
    const catalogue = { ...testCatalogue, sets: new Map([['languages', languages]]) };
    const text = jsonText({
      schema: '1.0',
      ...translated({ languageId: FARM_AREA_ID.toUpperCase(), moduleName: 'B' }),
    });
    const { descriptor } = validateDescriptor(Buffer.from(text), catalogue, new Set());
    expect(descriptor?.translations.map(({ languageId }) => languageId)).toEqual([ENGLISH_ID, FARM_AREA_ID]);
  });

  test('are returned by language, in lower case, with every member', () => {
    const all = {
      moduleName: 'N',
      shortName: 'S',
      description: 'D',
      shortDescription: 'd',
      websiteUrl: 'http://a.example',
      websiteName: 'W',
      supportContact: 'a@b.example',
      dataAreaReasons: { [FARM_AREA_ID]: 'R' },
      releaseNotes: '# N',
    };
    const { descriptor } = validate({
      translations: [
        { languageId: SPANISH_ID, moduleName: 'C' },
        { languageId: ENGLISH_ID.toUpperCase(), ...all },
      ],
    });
    expect(descriptor?.translations).toEqual([
      { languageId: ENGLISH_ID, ...all },
      {
        languageId: SPANISH_ID,
        moduleName: 'C',
        shortName: null,
        description: null,
        shortDescription: null,
        websiteUrl: null,
        websiteName: null,
        supportContact: null,
        dataAreaReasons: null,
        releaseNotes: null,
      },
    ]);
  });

  test('have names of at most 200 characters and descriptions of at most 20,000', () => {
    const lengths = (name: number, text: number) =>
      locations({
        dataAreaIds: [FARM_AREA_ID],
        ...translated({
          languageId: GERMAN_ID,
          moduleName: 'n'.repeat(name),
          shortName: 'n'.repeat(name),
          websiteName: 'n'.repeat(name),
          description: 'd'.repeat(text),
          shortDescription: 'd'.repeat(text),
          dataAreaReasons: { [FARM_AREA_ID]: 'd'.repeat(text) },
          releaseNotes: 'd'.repeat(text),
          websiteUrl: `https://a.example/${'u'.repeat(text - 18)}`,
        }),
      }).map((each) => each.split(' ').at(-1));
    expect(lengths(200, 20_000)).toEqual([]);
    expect(lengths(201, 20_001)).toEqual(
      [
        ...['moduleName', 'shortName', 'description', 'shortDescription', 'websiteUrl', 'websiteName'],
        ...[`dataAreaReasons/${FARM_AREA_ID}`, 'releaseNotes'],
      ].map((name) => `/translations/1/${name}`),
    );
  });

  test('have reasons for data areas that the package requests, by ID in any letter case', () => {
    const reasons = (dataAreaReasons: unknown) => ({
      dataAreaIds: [FARM_AREA_ID],
      ...translated({ languageId: GERMAN_ID, moduleName: 'B', dataAreaReasons }),
    });
    const stored = (dataAreaReasons: unknown) =>
      validate(reasons(dataAreaReasons)).descriptor?.translations[1]?.dataAreaReasons;
    expect(problemsOf(reasons({ [FARM_AREA_ID.toUpperCase()]: 'R' }))).toEqual([]);
    expect(stored({ [FARM_AREA_ID.toUpperCase()]: 'R' })).toEqual({ [FARM_AREA_ID]: 'R' });
    for (const empty of [null, '', {}, { [FARM_AREA_ID]: '' }]) expect(stored(empty)).toBeNull();
    expect(locations(reasons({ [FARM_AREA_ID]: 5, ' ': 'R' }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :13:9 /translations/1/dataAreaReasons/ ",
        "✗ descriptor-invalid :12:49 /translations/1/dataAreaReasons/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa",
        "! descriptor-reason-unused :13:9 /translations/1/dataAreaReasons/ ",
      ]
    `);
    expect(problemsOf(reasons({ [OTHER_ID]: 'R', FarmOrganization: 'R' }))).toMatchInlineSnapshot(`
      [
        "! descriptor-reason-unused :12:9 /translations/1/dataAreaReasons/ffffffff-ffff-4fff-8fff-ffffffffffff | dataAreaIds does not have "ffffffff-ffff-4fff-8fff-ffffffffffff", so farmers never see this reason.",
        "! descriptor-reason-unused :13:9 /translations/1/dataAreaReasons/FarmOrganization | dataAreaIds does not have "FarmOrganization", so farmers never see this reason. Use aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa, the ID of FarmOrganization.",
      ]
    `);
  });

  test('have one reason for a data area: IDs in another letter case are duplicate keys', () => {
    const reasons = { [FARM_AREA_ID]: 'one', [ALERTS_AREA_ID]: 'R', [FARM_AREA_ID.toUpperCase()]: 'two' };
    expect(
      problemsOf({
        dataAreaIds: [FARM_AREA_ID, ALERTS_AREA_ID],
        ...translated({ languageId: GERMAN_ID, moduleName: 'B', dataAreaReasons: reasons }),
      }),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-duplicate-key :14:9 /translations/1/dataAreaReasons/AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA | dataAreaReasons has the key "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA" in another letter case too. Remove one of the two.",
      ]
    `);
  });

  test('have their reasons in the order of the IDs, whatever order the file has', () => {
    const ids = [ALERTS_AREA_ID.toUpperCase(), FARM_AREA_ID];
    const { descriptor } = validate({
      dataAreaIds: ids,
      ...translated({
        languageId: GERMAN_ID,
        moduleName: 'B',
        dataAreaReasons: Object.fromEntries(ids.map((id) => [id, 'R'])),
      }),
    });
    expect(Object.keys(descriptor?.translations[1]?.dataAreaReasons ?? {})).toEqual([
      FARM_AREA_ID,
      ALERTS_AREA_ID,
    ]);
  });

  test('warn of what modulectl init wrote, in any language, and in reasons too', () => {
    const texts = translated(
      { languageId: GERMAN_ID, moduleName: 'B', description: PLACEHOLDER_TEXTS.de.description },
      {
        languageId: SPANISH_ID,
        moduleName: 'C',
        supportContact: PLACEHOLDER_ADDRESSES.supportContact,
        dataAreaReasons: { [FARM_AREA_ID]: PLACEHOLDER_TEXTS.es.reason, [ALERTS_AREA_ID]: 'R' },
      },
    );
    expect(problemsOf({ dataAreaIds: [FARM_AREA_ID, ALERTS_AREA_ID], ...texts })).toMatchInlineSnapshot(`
      [
        "! layout-placeholder :11:22 /translations/1/description | "Was das Modul einem Betrieb nützt, und was es voraussetzt." is a placeholder of modulectl init. Write your own: a revision with it is not released.",
        "! layout-placeholder :16:25 /translations/2/supportContact | "support@your-company.example" is a placeholder of modulectl init. Write your own: a revision with it is not released.",
        "! layout-placeholder :18:49 /translations/2/dataAreaReasons/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa | "Para qué necesita el módulo estos datos." is a placeholder of modulectl init. Write your own: a revision with it is not released.",
      ]
    `);
    expect(validate({ dataAreaIds: [FARM_AREA_ID, ALERTS_AREA_ID], ...texts }).descriptor).not.toBeNull();
  });

  test('have an http or https URL and an e-mail address', () =>
    expect(
      problemsOf(
        translated({
          languageId: GERMAN_ID,
          moduleName: 'B',
          websiteUrl: 'ftp://a.example',
          supportContact: 'nobody',
        }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :11:21 /translations/1/websiteUrl | translations[1].websiteUrl must be an http or https URL; it is "ftp://a.example".",
        "✗ descriptor-invalid :12:25 /translations/1/supportContact | translations[1].supportContact must be an e-mail address; it is "nobody".",
      ]
    `));
});

describe('translations that the platform recommends', () => {
  const languages = [
    { id: ENGLISH_ID, key: 'en', value: 'English', recommended: true },
    { id: GERMAN_ID, key: 'de', value: 'German', recommended: true },
    { id: SPANISH_ID, key: 'es', value: 'Spanish', recommended: true },
    { id: OTHER_ID, key: 'fr', value: 'French' },
  ];
  /** Problems of a descriptor in these languages, by a catalogue file with those; by the shipped catalogue for null. */
  function problemsIn(languageIds: readonly string[], own: readonly object[] | null = languages) {
    const file = own === null ? undefined : JSON.stringify({ languages: own });
    const translations = languageIds.map((languageId) => ({ languageId, moduleName: 'A' }));
    const text = jsonText({ schema: '1.0', translations });
    const { problems } = validateDescriptor(Buffer.from(text), loadCatalogue(file).forPackages, new Set());
    return formatProblems(problems).map((each) => each.replace('moduleSchema.json', ''));
  }

  test('are missing: one warning names each language with its ID, but never English', () => {
    expect(problemsIn([ENGLISH_ID])).toMatchInlineSnapshot(`
      [
        "! descriptor-translation-recommended :3:19 /translations | The platform recommends translations that the package does not have: German (22222222-2222-4222-8222-222222222222), Spanish (33333333-3333-4333-8333-333333333333). Add a translation with each languageId.",
      ]
    `);
    expect(problemsIn([ENGLISH_ID, SPANISH_ID, OTHER_ID])).toMatchInlineSnapshot(`
      [
        "! descriptor-translation-recommended :3:19 /translations | The platform recommends translations that the package does not have: German (22222222-2222-4222-8222-222222222222). Add a translation with each languageId.",
      ]
    `);
  });

  test('are present, with an ID in any letter case: there is no warning', () => {
    expect(problemsIn([ENGLISH_ID, GERMAN_ID, SPANISH_ID.toUpperCase()])).toEqual([]);
  });

  test('are German and Spanish in the shipped catalogue', () => {
    const [english, german, spanish] = ['en', 'de', 'es'].map((key) =>
      loadCatalogue().entry('languages', key),
    );
    const named = [german, spanish].map((each) => `${String(each?.value)} (${String(each?.id)})`).join(', ');
    expect(problemsIn([String(english?.id)], null)).toEqual([expect.stringContaining(named)]);
  });

  test("are none in a platform's own catalogue that marks no language", () => {
    const unmarked = languages.map(({ id, key, value }) => ({ id, key, value, recommended: false }));
    expect(problemsIn([ENGLISH_ID], unmarked)).toEqual([]);
  });
});
