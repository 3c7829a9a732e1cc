import { describe, expect, test } from 'vitest';
import { judgeDescriptor } from '../../../shared/package/judge-descriptor.ts';
import {
  ALERTS_AREA_ID,
  EMPTY_ID,
  ENGLISH_ID,
  FARM_AREA_ID,
  GERMAN_ID,
  jsonText,
  OTHER_ID,
  packageDescriptor,
  SPANISH_ID,
  tellProblems,
  testCatalogue,
} from '../../support/package-builder.ts';

const ID = '99999999-9999-4999-8999-999999999999';

function judgedText(text: string | Buffer) {
  return judgeDescriptor(Buffer.from(text), testCatalogue, new Set());
}

/** A descriptor of what is required and the members given; undefined leaves one out. */
function judged(members: Readonly<Record<string, unknown>>) {
  const english = { languageId: ENGLISH_ID, moduleName: 'A' };
  return judgedText(jsonText({ schema: '1.0', translations: [english], ...members }));
}

function told(members: Readonly<Record<string, unknown>>): string[] {
  return tellProblems(judged(members).problems).map((each) => each.replace('moduleSchema.json', ''));
}

/** Code, pointer and place alone. */
function places(members: Readonly<Record<string, unknown>>): string[] {
  return told(members).map((each) => each.split(' | ')[0] ?? '');
}

function toldText(text: string | Buffer): string[] {
  return tellProblems(judgedText(text).problems).map((each) => each.replace('moduleSchema.json', ''));
}

function translated(...members: readonly unknown[]): Record<string, unknown> {
  return { translations: [{ languageId: ENGLISH_ID, moduleName: 'A' }, ...members] };
}

describe('the text', () => {
  test('is UTF-8 JSON, with a byte order mark or without', () => {
    const text = jsonText(packageDescriptor({ moduleFiles: [] }));
    expect(toldText(text)).toEqual([]);
    expect(toldText(`\uFEFF${text}`)).toEqual([]);
    expect(toldText(`\uFEFF\n {,`)).toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :2:3 | The text is not JSON: something else is expected here.",
      ]
    `);
    expect(judgedText('{').subject).toBeNull();
    expect(judgedText('{').descriptor).toBeNull();
    expect(judgedText('{').namedFiles).toBeNull();
  });

  test('is not read where its bytes are not UTF-8', () => {
    expect(toldText(Buffer.from([0x7b, 0x0a, 0x20, 0xc3, 0x28]))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :2:2 | The text is not UTF-8. Save the file in UTF-8.",
      ]
    `);
    expect(toldText(Buffer.concat([Buffer.from('\uFEFF{'), Buffer.from([0xff])]))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :1:2 | The text is not UTF-8. Save the file in UTF-8.",
      ]
    `);
    expect(toldText(Buffer.from('{}', 'utf16le'))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :1:2 | The text is not JSON: something else is expected here.",
      ]
    `);
  });

  test('has an object in its root', () => {
    expect(toldText('["secret"]')).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:1 (root) | The file must be an object; it is an array.",
      ]
    `);
    const { subject, namedFiles } = judgedText('[]');
    expect([subject, namedFiles]).toEqual([null, null]);
  });

  test('has values of any kind where others belong, each told once', () => {
    for (const root of ['null', '5', '"x"', 'true']) {
      expect(toldText(root)).toHaveLength(1);
      expect(judgedText(root).subject).toBeNull();
    }
    const kinds = [null, [], 'x', 5];
    for (const name of ['subscriptionOptions', 'environmentVariables', 'moduleFiles']) {
      expect(places({ [name]: kinds }).map((each) => each.split(' ').at(-1))).toEqual(
        kinds.map((_, index) => `/${name}/${index}`),
      );
    }
    expect(places(translated(...kinds)).map((each) => each.split(' ').at(-1))).toEqual(
      kinds.map((_, index) => `/translations/${index + 1}`),
    );
    expect(places({ cropIds: [[ID], { a: ID }] })).toEqual([
      '✗ descriptor-invalid :10:5 /cropIds/0',
      '✗ descriptor-invalid :13:5 /cropIds/1',
    ]);
  });

  test('has no key twice, at any level, however it is written', () => {
    expect(
      toldText(
        `{"schema": "1.0", "sch\\u0065ma": "1.0",\n "translations": [{"languageId": "${ENGLISH_ID}", "moduleName": "A", "moduleName": "A"}]}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-duplicate-key :1:19 /schema | The key "schema" stands twice.",
        "✗ descriptor-duplicate-key :2:93 /translations/0/moduleName | The key "moduleName" stands twice.",
      ]
    `);
  });
});

describe('schema', () => {
  test('is "1.0", and the other rules still run', () => {
    expect(told({ schema: '2.0', scope: '' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :2:13 /schema | schema must be "1.0"; it is "2.0".",
        "✗ descriptor-invalid :9:12 /scope | scope must be text that is not blank, without NUL characters and lone surrogates; it is "".",
      ]
    `);
    expect(told({ schema: 1 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :2:13 /schema | schema must be a string; it is 1.",
      ]
    `);
    expect(told({ schema: null })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :2:13 /schema | schema must be a string; it is null.",
      ]
    `);
    expect(told({ schema: undefined })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :1:1 /schema | schema is missing.",
      ]
    `);
  });
});

describe('IDs', () => {
  const OPTIONAL = [
    'moduleId',
    'hostingTypeId',
    'typeId',
    'parentId',
    'categoryId',
    'federationTypeId',
  ] as const;

  test.each(OPTIONAL)('%s is a GUID in any letter case; absent, null and the empty GUID are one', (name) => {
    expect(judged({ [name]: ID.toUpperCase().replaceAll('9', 'B') }).descriptor?.[name]).toBe(
      ID.replaceAll('9', 'b'),
    );
    for (const absent of [undefined, null, EMPTY_ID])
      expect(judged({ [name]: absent }).descriptor?.[name]).toBeNull();
    for (const bad of [
      '',
      'x',
      `{${ID}}`,
      ID.replaceAll('-', ''),
      `${ID}0`,
      `0${ID}`,
      ID.replace('9', 'g'),
    ]) {
      expect(places({ [name]: bad })).toEqual([`✗ descriptor-invalid :9:${name.length + 7} /${name}`]);
    }
    expect(places({ [name]: 5 })).toHaveLength(1);
  });

  test('a wrong one is told with what was expected and found', () => {
    expect(told({ moduleId: 'x'.repeat(61), typeId: 7 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:15 /moduleId | moduleId must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301"; it is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".",
        "✗ descriptor-invalid :10:13 /typeId | typeId must be a string or null; it is 7.",
      ]
    `);
    expect(told({ moduleId: 'x'.repeat(60) })[0]).toContain(`it is "${'x'.repeat(60)}".`);
  });

  test.each([
    'paymentOptionIds',
    'cropIds',
    'environmentIds',
    'requirementIds',
    'dataAreaIds',
    'dependencies',
  ] as const)('%s is a set: order is nothing, a repeat a warning', (name) => {
    const ids = [ALERTS_AREA_ID.toUpperCase(), FARM_AREA_ID, ALERTS_AREA_ID];
    expect(places({ [name]: ids })).toEqual([`! descriptor-value-repeated :12:5 /${name}/2`]);
    expect(judged({ [name]: ids }).descriptor?.[name]).toEqual([FARM_AREA_ID, ALERTS_AREA_ID]);
    for (const absent of [undefined, null, []])
      expect(judged({ [name]: absent }).descriptor?.[name]).toEqual([]);
    expect(places({ [name]: [EMPTY_ID, EMPTY_ID, 'x', null] }).map((each) => each.split(' ').at(-1))).toEqual(
      [`/${name}/0`, `/${name}/1`, `/${name}/2`, `/${name}/3`],
    );
    expect(places({ [name]: ID })).toHaveLength(1);
  });

  test('a repeat and an empty one are told', () => {
    expect(told({ cropIds: [ID, ID, EMPTY_ID] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :12:5 /cropIds/2 | cropIds[2] must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one; it is "00000000-0000-0000-0000-000000000000".",
        "! descriptor-value-repeated :11:5 /cropIds/1 | cropIds holds 99999999-9999-4999-8999-999999999999 twice; the repeat is ignored.",
      ]
    `);
  });

  test('data areas are of the catalogue, the other sets take any GUID', () => {
    expect(told({ dataAreaIds: [FARM_AREA_ID, OTHER_ID], cropIds: [OTHER_ID] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-data-area-unknown :11:5 /dataAreaIds/1 | The data area ffffffff-ffff-4fff-8fff-ffffffffffff is not in the catalogue.",
      ]
    `);
  });
});

test('what a rule finds is told beside what the schema says of the same value', () => {
  const english = `[{"languageId":"${ENGLISH_ID}","moduleName":"A"}]`;
  expect(toldText(`{"schema": "2.0", "schema": "2.0", "translations": ${english}}`)).toMatchInlineSnapshot(`
    [
      "✗ descriptor-schema-unsupported :1:29 /schema | schema must be "1.0"; it is "2.0".",
      "✗ descriptor-duplicate-key :1:19 /schema | The key "schema" stands twice.",
    ]
  `);
  expect(places({ moduleFiles: [{ file: `ModuleLogo/${'x'.repeat(20_000)}` }] })).toEqual([
    '✗ descriptor-invalid :11:15 /moduleFiles/0/file',
    '✗ descriptor-file-missing :11:15 /moduleFiles/0/file',
  ]);
});

test('a descriptor that a rule refuses is not given, though it fits the schema', () => {
  expect(judged({ dataAreaIds: [OTHER_ID] }).descriptor).toBeNull();
  expect(judged({ dataAreaIds: [FARM_AREA_ID] }).descriptor).not.toBeNull();
});

describe('plain members', () => {
  test('texts are strings or null', () => {
    const names = ['vendorInternalCodeVersion', 'component', 'entryFileUrl', 'offlineReason'] as const;
    for (const name of names) {
      expect(judged({ [name]: ' as given ' }).descriptor?.[name]).toBe(' as given ');
      expect(judged({ [name]: null }).descriptor?.[name]).toBeNull();
      expect(judged({}).descriptor?.[name]).toBeNull();
      expect(places({ [name]: 1 })).toHaveLength(1);
      expect(places({ [name]: 'x'.repeat(20_000) })).toEqual([]);
      expect(places({ [name]: 'x'.repeat(20_001) })).toHaveLength(1);
    }
    expect(told({ component: 'x'.repeat(20_001) })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:16 /component | component must have at most 20000 characters and has 20001; it is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".",
      ]
    `);
  });

  test('scope is exact, not blank, and has at most 200 characters', () => {
    expect(judged({ scope: ' Ünique ' }).descriptor?.scope).toBe(' Ünique ');
    expect(judged({ scope: null }).descriptor?.scope).toBeNull();
    expect(told({ scope: '😀'.repeat(200) })).toEqual([]);
    expect(told({ scope: '' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:12 /scope | scope must be text that is not blank, without NUL characters and lone surrogates; it is "".",
      ]
    `);
    expect(places({ scope: ' \t\u00a0' })).toEqual(places({ scope: '' }));
    expect(told({ scope: 'x'.repeat(201) })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:12 /scope | scope must have at most 200 characters and has 201; it is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".",
      ]
    `);
    expect(told({ scope: 5 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:12 /scope | scope must be a string or null; it is 5.",
      ]
    `);
  });

  test('offlineCapability is true, false or null', () => {
    expect(judged({ offlineCapability: true }).descriptor?.offlineCapability).toBe(true);
    expect(judged({ offlineCapability: null }).descriptor?.offlineCapability).toBeNull();
    expect(told({ offlineCapability: 'yes' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:24 /offlineCapability | offlineCapability must be true or false or null; it is "yes".",
      ]
    `);
  });

  test('deploymentType is an integer of 32 bits', () => {
    for (const good of [2 ** 31 - 1, -(2 ** 31), 0]) {
      expect(judged({ deploymentType: good }).descriptor?.deploymentType).toBe(good);
    }
    expect(judged({ deploymentType: null }).descriptor?.deploymentType).toBeNull();
    expect(told({ deploymentType: 2 ** 31 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:21 /deploymentType | deploymentType must not be above 2147483647; it is 2147483648.",
      ]
    `);
    expect(told({ deploymentType: -(2 ** 31) - 1 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:21 /deploymentType | deploymentType must not be below -2147483648; it is -2147483649.",
      ]
    `);
    expect(told({ deploymentType: 1.5 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:21 /deploymentType | deploymentType must be an integer or null; it is 1.5.",
      ]
    `);
    expect(
      toldText(
        `{"schema":"1.0","translations":[{"languageId":"${ENGLISH_ID}","moduleName":"A"}],"deploymentType":1.00000000000000001}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:122 /deploymentType | deploymentType must have at most 15 significant digits.",
      ]
    `);
  });

  test('moduleVersion is a decimal of at most 15 significant digits, and 0.1 whatever it says', () => {
    const withVersion = (text: string) =>
      `{"schema":"1.0","translations":[{"languageId":"${ENGLISH_ID}","moduleName":"A"}],"moduleVersion":${text}}`;
    for (const good of [
      '0.1',
      '7',
      'null',
      '123456789012345',
      '0.00123456789012345000',
      '-1e300',
      '0e999',
      '100000000000000000000',
    ]) {
      expect(toldText(withVersion(good))).toEqual([]);
      expect(judgedText(withVersion(good)).descriptor?.moduleVersion).toBe(0.1);
    }
    for (const bad of [
      '1234567890123456',
      '0.1234567890123456',
      '1e309',
      '-1e309',
      '1e-320',
      '1.00000000000000001',
    ]) {
      expect(toldText(withVersion(bad))).toHaveLength(1);
    }
    expect(toldText(withVersion('1.234567890123456E2'))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:121 /moduleVersion | moduleVersion must have at most 15 significant digits.",
      ]
    `);
    expect(toldText(withVersion('"1"'))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:121 /moduleVersion | moduleVersion must be a number or null; it is "1".",
      ]
    `);
  });

  test('organizationId is ignored, whatever it is', () => {
    expect(told({ organizationId: { any: ['thing'] } })).toEqual([]);
    expect(judged({ organizationId: ID }).descriptor).not.toHaveProperty('organizationId');
  });

  test('no string holds NUL or a lone surrogate', () => {
    expect(told({ component: 'a\0b', offlineReason: '\ud83d' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:16 /component | component must be text without NUL characters and lone surrogates; it is "a\\u0000b".",
        "✗ descriptor-invalid :10:20 /offlineReason | offlineReason must be text without NUL characters and lone surrogates; it is "\\ud83d".",
      ]
    `);
    expect(
      toldText(`{"schema":"1.0","translations":[{"languageId":"${ENGLISH_ID}","moduleName":"\\u0000"}]}`),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:99 /translations/0/moduleName | translations[0].moduleName must be text that is not blank, without NUL characters and lone surrogates; it is "\\u0000".",
      ]
    `);
    expect(told({ component: '\ud83d\ude00' })).toEqual([]);
  });
});

describe('unknown properties', () => {
  test('a $schema that leads an editor to the schema is none', () => {
    expect(told({ $schema: 'https://example.com/schemas/module-schema.json' })).toEqual([]);
  });

  test('are ignored with a warning each, at every level', () => {
    const result = judged({
      extra: { extra: 1 },
      constructor: 1,
      ModuleID: null,
      ...translated({ languageId: GERMAN_ID, moduleName: 'B', slogan: 'x' }),
      subscriptionOptions: [{ paymentCycleId: ID, currencyId: ID, price: 1, vat: 19 }],
      environmentVariables: [{ appEnvironmentId: ID, key: 'A', value: 'B', Value: 'C' }],
      moduleFiles: [{ file: 'ModuleLogo/a.png', toString: 1 }],
    });
    expect(tellProblems(result.problems)).toMatchInlineSnapshot(`
      [
        "✗ descriptor-file-missing moduleSchema.json:37:15 /moduleFiles/0/file | The package has no file "ModuleLogo/a.png".",
        "! descriptor-property-unknown moduleSchema.json:11:7 /translations/1/slogan | The property "slogan" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:14:3 /extra | The property "extra" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:17:3 /constructor | The property "constructor" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:18:3 /ModuleID | The property "ModuleID" is not known and was ignored. If "moduleId" is meant, case counts.",
        "! descriptor-property-unknown moduleSchema.json:24:7 /subscriptionOptions/0/vat | The property "vat" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:32:7 /environmentVariables/0/Value | The property "Value" is not known and was ignored. If "value" is meant, case counts.",
        "! descriptor-property-unknown moduleSchema.json:38:7 /moduleFiles/0/toString | The property "toString" is not known and was ignored.",
      ]
    `);
  });

  test('do not keep a descriptor from passing', () => {
    expect(judged({ extra: 1 }).descriptor).not.toBeNull();
    expect(judged({ extra: 1 }).descriptor).not.toHaveProperty('extra');
  });

  test('named like a prototype reach none', () => {
    const english = `[{"languageId":"${ENGLISH_ID}","moduleName":"A"}]`;
    expect(toldText(`{"schema":"1.0","translations":${english},"__proto__":{"scope":"x"}}`))
      .toMatchInlineSnapshot(`
      [
        "! descriptor-property-unknown :1:105 /__proto__ | The property "__proto__" is not known and was ignored.",
      ]
    `);
    expect(
      judgedText(`{"schema":"1.0","translations":${english},"__proto__":{"scope":"x"}}`).descriptor?.scope,
    ).toBeNull();
    expect(toldText('{"__proto__":{"schema":"1.0","translations":[]}}')).toHaveLength(3);
  });

  test('with a name that cannot be told are pointed at by their parent', () => {
    expect(told({ ['x'.repeat(200)]: 1 })[0]).toContain(` /${'x'.repeat(200)} | `);
    expect(told({ ['x'.repeat(201)]: 1 })[0]).toContain(' (root) | ');
    expect(told({ 'a\0/~\ud83d': 1 })).toMatchInlineSnapshot(`
      [
        "! descriptor-property-unknown :9:3 /a�~1~0� | The property "a\\u0000/~\\ud83d" is not known and was ignored.",
      ]
    `);
  });
});

describe('translations', () => {
  test('are required, with English among them', () => {
    expect(told({ translations: undefined })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:1 /translations | translations is missing.",
      ]
    `);
    expect(told({ translations: null })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :3:19 /translations | translations must be an array; it is null.",
      ]
    `);
    expect(told({ translations: [] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-english-missing :3:19 /translations | No translation has the languageId of English, 11111111-1111-4111-8111-111111111111.",
      ]
    `);
    expect(told({ translations: {} })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :3:19 /translations | translations must be an array; it is an object.",
      ]
    `);
    expect(places({ translations: [{ languageId: GERMAN_ID, moduleName: 'A' }] })).toEqual([
      '✗ descriptor-english-missing :3:19 /translations',
    ]);
  });

  test('English is known even where the catalogue does not list it', () => {
    const catalogue = { ...testCatalogue, languageIds: new Set<string>() };
    const text = jsonText({ schema: '1.0', ...translated() });
    expect(judgeDescriptor(Buffer.from(text), catalogue, new Set()).problems).toEqual([]);
  });

  test('have a languageId and a moduleName that is not blank', () => {
    expect(
      told(
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
    `);
  });

  test('are one per language, in any letter case', () => {
    expect(
      told(
        translated(
          { languageId: SPANISH_ID.toUpperCase(), moduleName: 'B' },
          { languageId: SPANISH_ID, moduleName: 'C' },
        ),
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-translation-duplicate :13:21 /translations/2/languageId | The language 33333333-3333-4333-8333-333333333333 is translated twice; there is one translation per language.",
      ]
    `);
    expect(told(translated({ languageId: ENGLISH_ID, moduleName: 'B' }))).toHaveLength(1);
  });

  test('are in languages of the catalogue', () => {
    expect(told(translated({ languageId: OTHER_ID, moduleName: 'B' }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-language-unknown :9:21 /translations/1/languageId | The language ffffffff-ffff-4fff-8fff-ffffffffffff is not in the catalogue.",
      ]
    `);
  });

  test('have their languages in lower case', () => {
    const catalogue = { ...testCatalogue, languageIds: new Set([FARM_AREA_ID]) };
    const text = jsonText({
      schema: '1.0',
      ...translated({ languageId: FARM_AREA_ID.toUpperCase(), moduleName: 'B' }),
    });
    const { descriptor } = judgeDescriptor(Buffer.from(text), catalogue, new Set());
    expect(descriptor?.translations.map(({ languageId }) => languageId)).toEqual([ENGLISH_ID, FARM_AREA_ID]);
  });

  test('are given by language, in lower case, with every member', () => {
    const all = {
      moduleName: 'N',
      shortName: 'S',
      description: 'D',
      shortDescription: 'd',
      websiteUrl: 'http://a.example',
      websiteName: 'W',
      supportContact: 'a@b.example',
    };
    const { descriptor } = judged({
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
      },
    ]);
  });

  test('have names of at most 200 characters and descriptions of at most 20,000', () => {
    const lengths = (name: number, text: number) =>
      places(
        translated({
          languageId: GERMAN_ID,
          moduleName: 'n'.repeat(name),
          shortName: 'n'.repeat(name),
          websiteName: 'n'.repeat(name),
          description: 'd'.repeat(text),
          shortDescription: 'd'.repeat(text),
          websiteUrl: `https://a.example/${'u'.repeat(text - 18)}`,
        }),
      ).map((each) => each.split(' ').at(-1));
    expect(lengths(200, 20_000)).toEqual([]);
    expect(lengths(201, 20_001)).toEqual(
      ['moduleName', 'shortName', 'description', 'shortDescription', 'websiteUrl', 'websiteName'].map(
        (name) => `/translations/1/${name}`,
      ),
    );
  });

  test('have an http or https URL and an e-mail address', () => {
    expect(
      told(
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
    `);
  });
});

describe('subscription options', () => {
  const option = (members: object = {}) => ({
    subscriptionOptions: [{ paymentCycleId: ID, currencyId: ID, price: 0, ...members }],
  });

  test('have a payment cycle, a currency and a price', () => {
    expect(told({ subscriptionOptions: [{}] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :10:5 /subscriptionOptions/0/paymentCycleId | subscriptionOptions[0].paymentCycleId is missing.",
        "✗ descriptor-invalid :10:5 /subscriptionOptions/0/currencyId | subscriptionOptions[0].currencyId is missing.",
        "✗ descriptor-invalid :10:5 /subscriptionOptions/0/price | subscriptionOptions[0].price is missing.",
      ]
    `);
    expect(told(option({ paymentCycleId: EMPTY_ID, currencyId: null, price: null }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :11:25 /subscriptionOptions/0/paymentCycleId | subscriptionOptions[0].paymentCycleId must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one; it is "00000000-0000-0000-0000-000000000000".",
        "✗ descriptor-invalid :12:21 /subscriptionOptions/0/currencyId | subscriptionOptions[0].currencyId must be a string; it is null.",
        "✗ descriptor-invalid :13:16 /subscriptionOptions/0/price | subscriptionOptions[0].price must be a number; it is null.",
      ]
    `);
  });

  test('may leave out region and trial, and keep their order', () => {
    const { descriptor } = judged({
      subscriptionOptions: [
        {
          paymentCycleId: OTHER_ID.toUpperCase(),
          currencyId: OTHER_ID.toUpperCase(),
          price: 2.5,
          trialLength: 3,
          regionId: OTHER_ID.toUpperCase(),
        },
        { paymentCycleId: ID, currencyId: ID, price: 1, regionId: EMPTY_ID },
      ],
    });
    expect(descriptor?.subscriptionOptions).toEqual([
      { paymentCycleId: OTHER_ID, currencyId: OTHER_ID, regionId: OTHER_ID, trialLength: 3, price: 2.5 },
      { paymentCycleId: ID, currencyId: ID, regionId: null, trialLength: null, price: 1 },
    ]);
  });

  test('have no price or trial below 0, and the trial is an integer of 32 bits', () => {
    expect(told(option({ trialLength: 0 }))).toEqual([]);
    expect(told(option({ trialLength: 2 ** 31 - 1 }))).toEqual([]);
    expect(told(option({ trialLength: -1, price: -0.01 }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :14:22 /subscriptionOptions/0/trialLength | subscriptionOptions[0].trialLength must not be below 0; it is -1.",
        "✗ descriptor-invalid :13:16 /subscriptionOptions/0/price | subscriptionOptions[0].price must not be below 0; it is -0.01.",
      ]
    `);
    expect(places(option({ trialLength: 2 ** 31 }))).toHaveLength(1);
    expect(places(option({ trialLength: 1.5 }))).toHaveLength(1);
  });

  test('have a price of at most 15 significant digits, told once', () => {
    expect(told(option({ price: 123456789.012345 }))).toEqual([]);
    expect(places(option({ price: 1234567890.123456 }))).toEqual([
      '✗ descriptor-invalid :13:16 /subscriptionOptions/0/price',
    ]);
    expect(places(option({ price: -1234567890.123456 }))).toHaveLength(1);
    expect(judged(option({ price: 19.99 })).descriptor?.subscriptionOptions[0]?.price).toBe(19.99);
  });

  test('take -0 for 0', () => {
    const text = jsonText({
      schema: '1.0',
      ...translated(),
      deploymentType: 7,
      ...option({ trialLength: 8, price: 9 }),
    });
    const { descriptor } = judgedText(text.replace(' 7', ' -0').replace(' 8', ' -0').replace(' 9', ' -0'));
    expect([
      descriptor?.deploymentType,
      descriptor?.subscriptionOptions[0]?.trialLength,
      descriptor?.subscriptionOptions[0]?.price,
    ]).toEqual([0, 0, 0]);
  });
});

describe('environment variables', () => {
  const variables = (...items: readonly unknown[]) => ({ environmentVariables: items });

  test('have environment, key and value', () => {
    expect(told(variables({}))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :10:5 /environmentVariables/0/appEnvironmentId | environmentVariables[0].appEnvironmentId is missing.",
        "✗ descriptor-invalid :10:5 /environmentVariables/0/key | environmentVariables[0].key is missing.",
        "✗ descriptor-invalid :10:5 /environmentVariables/0/value | environmentVariables[0].value is missing.",
      ]
    `);
    expect(told(variables({ appEnvironmentId: EMPTY_ID, key: ' ', value: '' }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :11:27 /environmentVariables/0/appEnvironmentId | environmentVariables[0].appEnvironmentId must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one.",
        "✗ descriptor-invalid :12:14 /environmentVariables/0/key | environmentVariables[0].key must be text that is not blank, without NUL characters and lone surrogates.",
      ]
    `);
  });

  test('have keys of at most 200 characters and values of at most 20,000', () => {
    const lengths = (key: number, value: number) =>
      places(variables({ appEnvironmentId: ID, key: 'k'.repeat(key), value: 'v'.repeat(value) }));
    expect(lengths(200, 20_000)).toEqual([]);
    expect(lengths(201, 20_001).map((each) => each.split(' ').at(-1))).toEqual([
      '/environmentVariables/0/key',
      '/environmentVariables/0/value',
    ]);
  });

  test('have no key twice in one environment', () => {
    const same = { appEnvironmentId: ID, key: 'A', value: '1' };
    expect(told(variables(same, { ...same, key: 'a' }, { ...same, appEnvironmentId: OTHER_ID }))).toEqual([]);
    expect(told(variables(same, { ...same, appEnvironmentId: ID.toUpperCase(), value: '2' })))
      .toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :17:14 /environmentVariables/1/key | The key "A" stands twice for the environment 99999999-9999-4999-8999-999999999999.",
      ]
    `);
  });

  test('without a valid environment or key are told that alone', () => {
    const twice = (item: object) => places(variables(item, item)).map((each) => each.split(' ').at(-1));
    expect(twice({ appEnvironmentId: ID, key: 5, value: '' })).toEqual([
      '/environmentVariables/0/key',
      '/environmentVariables/1/key',
    ]);
    for (const wrong of ['x', 5, EMPTY_ID]) {
      expect(twice({ appEnvironmentId: wrong, key: 'A', value: '' })).toEqual([
        '/environmentVariables/0/appEnvironmentId',
        '/environmentVariables/1/appEnvironmentId',
      ]);
    }
    const same = { appEnvironmentId: OTHER_ID.toUpperCase(), key: 'A', value: '' };
    expect(told(variables(same, same))[0]).toContain(`for the environment ${OTHER_ID}.`);
  });

  test('are never told their values, not even where something else belongs', () => {
    const secret = 'hunter2';
    const wrong = [
      variables({ appEnvironmentId: ID, key: 'A', value: `${secret}\0` }),
      variables({ appEnvironmentId: secret, key: 5, value: [secret] }),
      variables(`A=${secret}`),
      { environmentVariables: secret },
      { environmentVariables: { A: secret } },
    ];
    for (const members of wrong) {
      expect(told(members).length).toBeGreaterThan(0);
      expect(told(members).join()).not.toContain(secret);
    }
    expect(toldText('{"environmentVariables": [{"value": truehunter2}]}').join()).not.toContain(secret);
    expect(told(variables({ appEnvironmentId: ID, key: 'A', value: 5 }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :13:16 /environmentVariables/0/value | environmentVariables[0].value must be a string.",
      ]
    `);
  });

  test('are given by environment and key', () => {
    const variable = (appEnvironmentId: string, key: string) => ({ appEnvironmentId, key, value: '' });
    const { descriptor } = judged(
      variables(variable(OTHER_ID.toUpperCase(), 'A'), variable(ID, 'b'), variable(ID, 'B')),
    );
    expect(descriptor?.environmentVariables).toEqual([
      variable(ID, 'B'),
      variable(ID, 'b'),
      variable(OTHER_ID, 'A'),
    ]);
  });
});

describe('what the registry needs', () => {
  test('is there as soon as the descriptor is an object', () => {
    expect(judged({ moduleId: ID.toUpperCase(), scope: 'S', schema: '9' }).subject).toEqual({
      moduleId: ID,
      scope: 'S',
    });
    expect(judgedText('{}').subject).toEqual({ moduleId: null, scope: null });
  });

  test('leaves out what is not valid', () => {
    expect(judged({ moduleId: 'x', scope: ' ' }).subject).toEqual({ moduleId: null, scope: null });
    expect(judged({ moduleId: EMPTY_ID, scope: 5 }).subject).toEqual({ moduleId: null, scope: null });
  });
});

test('a descriptor of what is required alone has every member in its normal form', () => {
  expect(judged({}).descriptor).toMatchInlineSnapshot(`
    {
      "categoryId": null,
      "component": null,
      "cropIds": [],
      "dataAreaIds": [],
      "dependencies": [],
      "deploymentType": null,
      "entryFileUrl": null,
      "environmentIds": [],
      "environmentVariables": [],
      "federationTypeId": null,
      "hostingTypeId": null,
      "moduleFiles": [],
      "moduleId": null,
      "moduleVersion": 0.1,
      "offlineCapability": null,
      "offlineReason": null,
      "parentId": null,
      "paymentOptionIds": [],
      "requirementIds": [],
      "schema": "1.0",
      "scope": null,
      "subscriptionOptions": [],
      "translations": [
        {
          "description": null,
          "languageId": "11111111-1111-4111-8111-111111111111",
          "moduleName": "A",
          "shortDescription": null,
          "shortName": null,
          "supportContact": null,
          "websiteName": null,
          "websiteUrl": null,
        },
      ],
      "typeId": null,
      "vendorInternalCodeVersion": null,
    }
  `);
});
