import { describe, expect, test } from 'vitest';
import {
  ALERTS_AREA_ID,
  EMPTY_ID,
  ENGLISH_ID,
  FARM_AREA_ID,
  OTHER_ID,
} from '../../support/package-builder.ts';
import { ID, validateText, validate, problemsOf, locations, problemsOfText } from './validated-descriptor.ts';

describe('IDs', () => {
  const OPTIONAL = [
    'moduleId',
    'hostingTypeId',
    'typeId',
    'parentId',
    'categoryId',
    'federationTypeId',
  ] as const;

  test.each(OPTIONAL)(
    '%s is a GUID in any letter case; absent, null and the empty GUID mean the same',
    (name) => {
      expect(validate({ [name]: ID.toUpperCase().replaceAll('9', 'B') }).descriptor?.[name]).toBe(
        ID.replaceAll('9', 'b'),
      );
      for (const absent of [undefined, null, '', EMPTY_ID])
        expect(validate({ [name]: absent }).descriptor?.[name]).toBeNull();
      for (const bad of ['x', `{${ID}}`, ID.replaceAll('-', ''), `${ID}0`, `0${ID}`, ID.replace('9', 'g')]) {
        expect(locations({ [name]: bad })).toEqual([`✗ descriptor-invalid :9:${name.length + 7} /${name}`]);
      }
      expect(locations({ [name]: 5 })).toHaveLength(1);
    },
  );

  test('an invalid one is reported with what was expected and found', () => {
    expect(problemsOf({ moduleId: 'x'.repeat(61), typeId: 7 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:15 /moduleId | moduleId must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301"; it is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".",
        "✗ descriptor-invalid :10:13 /typeId | typeId must be a string or null; it is 7.",
      ]
    `);
    expect(problemsOf({ moduleId: 'x'.repeat(60) })[0]).toContain(`it is "${'x'.repeat(60)}".`);
  });

  test.each([
    'paymentOptionIds',
    'cropIds',
    'environmentIds',
    'requirementIds',
    'dataAreaIds',
    'dependencies',
  ] as const)('%s is a set: order is irrelevant, a repeat is a warning', (name) => {
    const [first, second] = name === 'dataAreaIds' ? [FARM_AREA_ID, ALERTS_AREA_ID] : [ID, OTHER_ID];
    const ids = [second.toUpperCase(), first, second];
    expect(problemsOf({ [name]: [...ids].reverse() })).toEqual([
      `! descriptor-value-repeated :12:5 /${name}/2 | ${name} contains ${second} more than once; the duplicate is ignored.`,
    ]);
    expect(validate({ [name]: ids }).descriptor?.[name]).toEqual([first, second]);
    for (const absent of [undefined, null, []])
      expect(validate({ [name]: absent }).descriptor?.[name]).toEqual([]);
    expect(
      locations({ [name]: [EMPTY_ID, EMPTY_ID, 'x', null] }).map((each) => each.split(' ').at(-1)),
    ).toEqual([`/${name}/0`, `/${name}/1`, `/${name}/2`, `/${name}/3`]);
    expect(locations({ [name]: ID })).toHaveLength(1);
  });

  test('a repeat and an empty one are reported', () =>
    expect(problemsOf({ cropIds: [ID, ID, EMPTY_ID] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :12:5 /cropIds/2 | cropIds[2] must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one; it is "00000000-0000-0000-0000-000000000000".",
        "! descriptor-value-repeated :11:5 /cropIds/1 | cropIds contains 99999999-9999-4999-8999-999999999999 more than once; the duplicate is ignored.",
      ]
    `));

  test('data areas must be in the catalogue, sets that it does not have accept any GUID', () =>
    expect(problemsOf({ dataAreaIds: [FARM_AREA_ID, OTHER_ID], cropIds: [OTHER_ID] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-data-area-unknown :11:5 /dataAreaIds/1 | dataAreaIds[1] is not an ID of dataAreas. The IDs are at /api/v8.0/CommonData/dataAreas; modulectl catalogue dataAreas lists them.",
      ]
    `));
});

describe('plain members', () => {
  test('texts are strings or null', () => {
    const names = ['vendorInternalCodeVersion', 'component', 'entryFileUrl', 'offlineReason'] as const;
    for (const name of names) {
      expect(validate({ [name]: ' as given ' }).descriptor?.[name]).toBe(' as given ');
      expect(validate({ [name]: null }).descriptor?.[name]).toBeNull();
      expect(validate({ [name]: '' }).descriptor?.[name]).toBeNull();
      expect(validate({}).descriptor?.[name]).toBeNull();
      expect(locations({ [name]: 1 })).toHaveLength(1);
      expect(locations({ [name]: 'app:'.padEnd(20_000, 'x') })).toEqual([]);
      expect(locations({ [name]: 'app:'.padEnd(20_001, 'x') })).toHaveLength(1);
    }
    expect(problemsOf({ component: 'x'.repeat(20_001) })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:16 /component | component must have at most 20000 characters and has 20001; it is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".",
      ]
    `);
  });

  test('scope is exact, not blank, and has at most 200 characters', () => {
    expect(validate({ scope: ' Ünique ' }).descriptor?.scope).toBe(' Ünique ');
    expect(validate({ scope: null }).descriptor?.scope).toBeNull();
    expect(problemsOf({ scope: '😀'.repeat(200) })).toEqual([]);
    expect(validate({ scope: '' }).descriptor?.scope).toBeNull();
    expect(problemsOf({ scope: ' \t\u00a0' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:12 /scope | scope must be text that is not blank, without NUL characters and lone surrogates; it is " \\t ".",
      ]
    `);
    expect(problemsOf({ scope: 'x'.repeat(201) })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:12 /scope | scope must have at most 200 characters and has 201; it is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…".",
      ]
    `);
    expect(problemsOf({ scope: 5 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:12 /scope | scope must be a string or null; it is 5.",
      ]
    `);
  });

  test('offlineCapability is true, false or null', () => {
    expect(validate({ offlineCapability: true }).descriptor?.offlineCapability).toBe(true);
    expect(validate({ offlineCapability: null }).descriptor?.offlineCapability).toBeNull();
    expect(problemsOf({ offlineCapability: 'yes' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:24 /offlineCapability | offlineCapability must be true or false or null; it is "yes".",
      ]
    `);
  });

  test('deploymentType is an integer of 32 bits', () => {
    for (const good of [2 ** 31 - 1, -(2 ** 31), 0]) {
      expect(validate({ deploymentType: good }).descriptor?.deploymentType).toBe(good);
    }
    expect(validate({ deploymentType: null }).descriptor?.deploymentType).toBeNull();
    expect(problemsOf({ deploymentType: 2 ** 31 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:21 /deploymentType | deploymentType must not be above 2147483647; it is 2147483648.",
      ]
    `);
    expect(problemsOf({ deploymentType: -(2 ** 31) - 1 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:21 /deploymentType | deploymentType must not be below -2147483648; it is -2147483649.",
      ]
    `);
    expect(problemsOf({ deploymentType: 1.5 })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:21 /deploymentType | deploymentType must be an integer or null; it is 1.5.",
      ]
    `);
    expect(
      problemsOfText(
        `{"schema":"1.0","translations":[{"languageId":"${ENGLISH_ID}","moduleName":"A"}],"deploymentType":1.00000000000000001}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:122 /deploymentType | deploymentType must have at most 15 significant digits.",
      ]
    `);
  });

  test('moduleVersion is a decimal of at most 15 significant digits, and 0.1 whatever its value', () => {
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
      expect(problemsOfText(withVersion(good))).toEqual([]);
      expect(validateText(withVersion(good)).descriptor?.moduleVersion).toBe(0.1);
    }
    for (const bad of [
      '1234567890123456',
      '0.1234567890123456',
      '1e309',
      '-1e309',
      '1e-320',
      '1.00000000000000001',
    ]) {
      expect(problemsOfText(withVersion(bad))).toHaveLength(1);
    }
    expect(problemsOfText(withVersion('1.234567890123456E2'))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:121 /moduleVersion | moduleVersion must have at most 15 significant digits.",
      ]
    `);
    expect(problemsOfText(withVersion('"1"'))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:121 /moduleVersion | moduleVersion must be a number or null; it is "1".",
      ]
    `);
  });

  test('organizationId is ignored, whatever its value', () => {
    expect(problemsOf({ organizationId: { any: ['thing'] } })).toEqual([]);
    expect(validate({ organizationId: ID }).descriptor).not.toHaveProperty('organizationId');
  });

  test('no string contains NUL or a lone surrogate', () => {
    expect(problemsOf({ component: 'a\0b', offlineReason: '\ud83d' })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :9:16 /component | component must be text without NUL characters and lone surrogates; it is "a\\u0000b".",
        "✗ descriptor-invalid :10:20 /offlineReason | offlineReason must be text without NUL characters and lone surrogates; it is "\\ud83d".",
      ]
    `);
    expect(
      problemsOfText(
        `{"schema":"1.0","translations":[{"languageId":"${ENGLISH_ID}","moduleName":"\\u0000"}]}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :1:99 /translations/0/moduleName | translations[0].moduleName must be text that is not blank, without NUL characters and lone surrogates; it is "\\u0000".",
      ]
    `);
    expect(problemsOf({ component: '\ud83d\ude00' })).toEqual([]);
  });
});
