import { describe, expect, test } from 'vitest';
import {
  EMPTY_ID,
  ENGLISH_ID,
  FARM_AREA_ID,
  GERMAN_ID,
  jsonText,
  OTHER_ID,
  packageDescriptor,
  formatProblems,
} from '../../support/package-builder.ts';
import {
  ID,
  validateText,
  validate,
  problemsOf,
  locations,
  problemsOfText,
  translated,
} from './validated-descriptor.ts';

describe('the text', () => {
  test('is UTF-8 JSON, with or without a byte order mark', () => {
    const text = jsonText(packageDescriptor({ moduleFiles: [] }));
    expect(problemsOfText(text)).toEqual([]);
    expect(problemsOfText(`\uFEFF${text}`)).toEqual([]);
    expect(problemsOfText(`\uFEFF\n {,`)).toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :2:3 | The text is not JSON. Something else is expected here: check the brackets, commas and quotes before it.",
      ]
    `);
    expect(validateText('{').subject).toBeNull();
    expect(validateText('{').descriptor).toBeNull();
    expect(validateText('{').namedFiles).toBeNull();
  });

  test('is not read where its bytes are not UTF-8', () => {
    expect(problemsOfText(Buffer.from([0x7b, 0x0a, 0x20, 0xc3, 0x28]))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :2:2 | The text is not UTF-8. Save the file in UTF-8.",
      ]
    `);
    expect(problemsOfText(Buffer.concat([Buffer.from('\uFEFF{'), Buffer.from([0xff])])))
      .toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :1:2 | The text is not UTF-8. Save the file in UTF-8.",
      ]
    `);
    // Sequences that begin as U+FFFD does, and are cut or broken.
    for (const cut of ['7bef', '7befbf', '7befbf28', '7befbb'])
      expect(problemsOfText(Buffer.from(cut, 'hex'))).toEqual([
        '✗ descriptor-not-json :1:2 | The text is not UTF-8. Save the file in UTF-8.',
      ]);
    expect(problemsOfText(Buffer.from('7befbfbdff', 'hex'))).toEqual([
      '✗ descriptor-not-json :1:3 | The text is not UTF-8. Save the file in UTF-8.',
    ]);
    expect(problemsOfText(Buffer.from('{}', 'utf16le'))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-not-json :1:2 | The text is not JSON. Something else is expected here: check the brackets, commas and quotes before it.",
      ]
    `);
  });

  test('has an object as its root', () => {
    expect(problemsOfText('["secret"]')).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:1 (root) | The file must be an object; it is an array.",
      ]
    `);
    const { subject, namedFiles } = validateText('[]');
    expect([subject, namedFiles]).toEqual([null, null]);
  });

  test('reports each value of a wrong type once', () => {
    for (const root of ['null', '5', '"x"', 'true']) {
      expect(problemsOfText(root)).toHaveLength(1);
      expect(validateText(root).subject).toBeNull();
    }
    const kinds = [null, [], 'x', 5];
    for (const name of ['subscriptionOptions', 'environmentVariables', 'moduleFiles']) {
      expect(locations({ [name]: kinds }).map((each) => each.split(' ').at(-1))).toEqual(
        kinds.map((_, index) => `/${name}/${index}`),
      );
    }
    expect(locations(translated(...kinds)).map((each) => each.split(' ').at(-1))).toEqual(
      kinds.map((_, index) => `/translations/${index + 1}`),
    );
    expect(locations({ cropIds: [[ID], { a: ID }] })).toEqual([
      '✗ descriptor-invalid :10:5 /cropIds/0',
      '✗ descriptor-invalid :13:5 /cropIds/1',
    ]);
  });

  test('has no key twice, at any level, however it is escaped', () =>
    expect(
      problemsOfText(
        `{"schema": "1.0", "sch\\u0065ma": "1.0",\n "translations": [{"languageId": "${ENGLISH_ID}", "moduleName": "A", "moduleName": "A"}]}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-duplicate-key :1:19 /schema | The key "schema" is duplicated. Remove one of the two.",
        "✗ descriptor-duplicate-key :2:93 /translations/0/moduleName | The key "moduleName" is duplicated. Remove one of the two.",
      ]
    `));
});

describe('schema', () =>
  test('is "1.0", and the other rules still run', () => {
    expect(problemsOf({ schema: '2.0', scope: '' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :2:13 /schema | schema must be "1.0"; it is "2.0".",
      ]
    `);
    expect(problemsOf({ schema: 1 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :2:13 /schema | schema must be "1.0"; it is 1.",
      ]
    `);
    expect(problemsOf({ schema: null })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :2:13 /schema | schema must be "1.0"; it is null.",
      ]
    `);
    expect(problemsOf({ schema: undefined })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :1:1 /schema | schema is missing.",
      ]
    `);
  }));

test('problems of a rule and of the schema are both reported for the same value', () => {
  const english = `[{"languageId":"${ENGLISH_ID}","moduleName":"A"}]`;
  expect(problemsOfText(`{"schema": "2.0", "schema": "2.0", "translations": ${english}}`))
    .toMatchInlineSnapshot(`
      [
        "✗ descriptor-schema-unsupported :1:29 /schema | schema must be "1.0"; it is "2.0".",
        "✗ descriptor-duplicate-key :1:19 /schema | The key "schema" is duplicated. Remove one of the two.",
      ]
    `);
  expect(locations({ moduleFiles: [{ file: `ModuleLogo/${'x'.repeat(20_000)}` }] })).toEqual([
    '✗ descriptor-invalid :11:15 /moduleFiles/0/file',
    '✗ descriptor-file-missing :11:15 /moduleFiles/0/file',
  ]);
});

test('a descriptor that a rule refuses is not returned, though it is valid by the schema', () => {
  expect(validate({ dataAreaIds: [OTHER_ID] }).descriptor).toBeNull();
  expect(validate({ dataAreaIds: [FARM_AREA_ID] }).descriptor).not.toBeNull();
});

describe('unknown properties', () => {
  test('a $schema for editors is not an unknown property', () =>
    expect(problemsOf({ $schema: 'https://example.com/schemas/module-schema.json' })).toEqual([]));

  test('are ignored with a warning each, at every level', () => {
    const result = validate({
      extra: { extra: 1 },
      constructor: 1,
      ModuleID: null,
      ...translated({ languageId: GERMAN_ID, moduleName: 'B', slogan: 'x' }),
      subscriptionOptions: [{ paymentCycleId: ID, currencyId: ID, price: 1, vat: 19 }],
      environmentVariables: [{ appEnvironmentId: ID, key: 'A', value: 'B', Value: 'C' }],
      moduleFiles: [{ file: 'ModuleLogo/a.png', toString: 1 }],
    });
    expect(formatProblems(result.problems)).toMatchInlineSnapshot(`
      [
        "✗ descriptor-file-missing moduleSchema.json:37:15 /moduleFiles/0/file | The package has no file "ModuleLogo/a.png".",
        "! descriptor-property-unknown moduleSchema.json:11:7 /translations/1/slogan | The property "slogan" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:14:3 /extra | The property "extra" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:17:3 /constructor | The property "constructor" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:18:3 /ModuleID | The property "ModuleID" is not known and was ignored. Did you mean "moduleId"? Names are case-sensitive.",
        "! descriptor-property-unknown moduleSchema.json:24:7 /subscriptionOptions/0/vat | The property "vat" is not known and was ignored.",
        "! descriptor-property-unknown moduleSchema.json:32:7 /environmentVariables/0/Value | The property "Value" is not known and was ignored. Did you mean "value"? Names are case-sensitive.",
        "! descriptor-property-unknown moduleSchema.json:38:7 /moduleFiles/0/toString | The property "toString" is not known and was ignored.",
      ]
    `);
  });

  test('do not invalidate a descriptor', () => {
    expect(validate({ extra: 1 }).descriptor).not.toBeNull();
    expect(validate({ extra: 1 }).descriptor).not.toHaveProperty('extra');
  });

  test('named like a prototype do not change it', () => {
    const english = `[{"languageId":"${ENGLISH_ID}","moduleName":"A"}]`;
    expect(problemsOfText(`{"schema":"1.0","translations":${english},"__proto__":{"scope":"x"}}`))
      .toMatchInlineSnapshot(`
      [
        "! descriptor-property-unknown :1:105 /__proto__ | The property "__proto__" is not known and was ignored.",
      ]
    `);
    expect(
      validateText(`{"schema":"1.0","translations":${english},"__proto__":{"scope":"x"}}`).descriptor?.scope,
    ).toBeNull();
    expect(problemsOfText('{"__proto__":{"schema":"1.0","translations":[]}}')).toHaveLength(3);
  });

  test('whose name cannot be printed are reported at their parent', () => {
    expect(problemsOf({ ['x'.repeat(200)]: 1 })[0]).toContain(` /${'x'.repeat(200)} | `);
    expect(problemsOf({ ['x'.repeat(201)]: 1 })[0]).toContain(' (root) | ');
    expect(problemsOf({ 'a\0/~\ud83d': 1 })).toMatchInlineSnapshot(`
      [
        "! descriptor-property-unknown :9:3 /a�~1~0� | The property "a\\u0000/~\\ud83d" is not known and was ignored.",
      ]
    `);
  });
});

describe('what the registry reads', () => {
  test('are returned as soon as the descriptor is an object', () => {
    expect(validate({ moduleId: ID.toUpperCase(), scope: 'S', schema: '9' }).subject).toMatchObject({
      moduleId: ID,
      scope: 'S',
    });
    expect(validateText('{}').subject).toMatchObject({ moduleId: null, scope: null });
  });

  test('are null where they are not valid', () => {
    expect(validate({ moduleId: 'x', scope: ' ' }).subject).toMatchObject({ moduleId: null, scope: null });
    expect(validate({ moduleId: EMPTY_ID, scope: 5 }).subject).toMatchObject({ moduleId: null, scope: null });
  });
});

test('a minimal descriptor has every member in its normal form', () =>
  expect(validate({}).descriptor).toMatchInlineSnapshot(`
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
          "dataAreaReasons": null,
          "description": null,
          "languageId": "11111111-1111-4111-8111-111111111111",
          "moduleName": "A",
          "releaseNotes": null,
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
  `));
