import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { BROKEN_JSON } from '../../support/broken-texts.ts';
import { alertRulesSchema } from '../../../shared/package/schemas/alert-rules.ts';
import { moduleSchema } from '../../../shared/package/schemas/module-schema.ts';
import { rolesEntitiesSchema } from '../../../shared/package/schemas/roles-entities.ts';
import { canonicalJson } from '../../../shared/package/canonical-json.ts';
import { compareText } from '../../../shared/package/compare-text.ts';
import { isCountryCode } from '../../../shared/package/country-codes.ts';
import { isExactNumber } from '../../../shared/package/exact-number.ts';
import { pathLabel, pointerTo, segmentsOf } from '../../../shared/package/json-pointer.ts';
import { mediaTypeOf } from '../../../shared/package/media-types.ts';
import { mergeTranslations } from '../../../shared/package/merge-translations.ts';
import { parseJson } from '../../../shared/package/parse-json.ts';
import { parseYaml } from '../../../shared/package/parse-yaml.ts';
import { compareProblems, listProblems, problem } from '../../../shared/package/problem.ts';
import { describeValue, quoteText } from '../../../shared/package/quote-value.ts';
import { isMembers } from '../../../shared/package/read-members.ts';
import { isEmail, isLanguageTag, isWebUrl, languageTagCase } from '../../../shared/package/text-formats.ts';

describe('JSON', () => {
  const fault = (text: string) => {
    const parsed = parseJson('a.json', Buffer.from(text));
    return 'detail' in parsed ? `${parsed.line}:${parsed.column} ${parsed.detail}` : null;
  };
  const NOT_JSON = 'The text is not JSON: something else is expected here.';

  test.each(BROKEN_JSON)('refuses %s', (_name, text, place) => {
    expect(fault(text)).toMatch(new RegExp(`^${place} ${NOT_JSON}$`));
  });

  test('refuses raw control characters in strings', () => {
    const detail = 'A string holds a control character that is not escaped.';
    expect(fault('{\n"a": "b\tc"}')).toBe(`2:8 ${detail}`);
    expect(fault('{"a\u0000": 1}')).toBe(`1:4 ${detail}`);
    expect(fault('"\u001f"')).toBe(`1:2 ${detail}`);
    expect(fault('"a\\"\u0001"')).toBe(`1:5 ${detail}`);
    expect(fault('"\u007f \\\\"')).toBeNull();
    expect(fault('\t"a"\r\n')).toBeNull();
  });

  test('takes 64 levels, counted outside strings, and not 65, however deep the text is', () => {
    expect(fault('['.repeat(64) + ']'.repeat(64))).toBeNull();
    expect(fault('{"a":'.repeat(64) + '1' + '}'.repeat(64))).toBeNull();
    expect(fault(`\n${'['.repeat(65)}`)).toBe('2:65 The text is nested more than 64 levels deep.');
    expect(fault('{"a":'.repeat(65))).toBe('1:321 The text is nested more than 64 levels deep.');
    expect(fault(`"${'['.repeat(100)}\\"${'{'.repeat(100)}"`)).toBeNull();
    expect(fault(`[${'[],{},'.repeat(100)}1]`)).toBeNull();
    expect(fault('['.repeat(1024 * 1024))).toContain('64 levels');
  });

  test('takes 50,000 values and not one more', () => {
    expect(fault(`[${'0,'.repeat(49_999)}0]`)).toBeNull();
    expect(fault(`[${'0,'.repeat(50_000)}0]`)).toBe('1:100001 The text has more than 50000 values.');
  });

  test('keeps where values and names stand, and numbers as they are written', () => {
    const parsed = parseJson('a.json', Buffer.from('{\r\n  "a": [1.50, "x"],\n  "b": {"c": null}}'));
    if ('detail' in parsed) throw new Error(parsed.detail);
    expect(parsed.value).toEqual({ a: [1.5, 'x'], b: { c: null } });
    expect(parsed.root.members?.get('a')).toMatchObject({
      key: { line: 2, column: 3 },
      value: { line: 2, column: 8 },
    });
    expect(parsed.root.members?.get('a')?.items?.[0]).toMatchObject({
      numberText: '1.50',
      value: { line: 2, column: 9 },
    });
    expect(parsed.root.members?.get('a')?.items?.[1]).toMatchObject({
      numberText: null,
      key: { line: 2, column: 15 },
    });
    expect(parsed.root.members?.get('b')?.members?.get('c')).toMatchObject({
      key: { line: 3, column: 9 },
      value: { line: 3, column: 14 },
    });
  });
});

test('YAML keeps where values and names stand, in lists too, and numbers as they are written', () => {
  const parsed = parseYaml('a.yaml', Buffer.from('a: [1.50, x, 0x1F]\nb: { c: null }\n? d\n'));
  if ('detail' in parsed) throw new Error(parsed.detail);
  expect(parsed.value).toEqual({ a: [1.5, 'x', 31], b: { c: null }, d: null });
  const { members } = parsed.root;
  expect(members?.get('a')).toMatchObject({
    key: { line: 1, column: 1 },
    value: { line: 1, column: 4 },
    numberText: null,
    items: [
      { key: { line: 1, column: 5 }, value: { line: 1, column: 5 }, numberText: '1.50', items: null },
      { value: { line: 1, column: 11 }, numberText: null, members: null },
      { value: { line: 1, column: 14 }, numberText: '31' },
    ],
  });
  expect(members?.get('b')?.members?.get('c')).toMatchObject({
    key: { line: 2, column: 6 },
    value: { line: 2, column: 9 },
  });
});

test('an exact number has at most 15 significant digits and lies in the range of doubles', () => {
  for (const good of [
    '0',
    '-0.0',
    '0e5',
    '1',
    '-1.5',
    '+1.5',
    '123456789012345',
    '0.000123456789012345',
    '123456789012345000',
    '1.50000000000000000000',
    '1e308',
    '2.2250738585073e-308',
    '1E5',
    '.5',
    '5.',
  ]) {
    expect([good, isExactNumber(good)]).toEqual([good, true]);
  }
  for (const bad of [
    '1234567890123456',
    '0.1234567890123456',
    '1.000000000000001',
    '1e309',
    '-1e309',
    '2.2e-308',
    '5e-324',
    '1e-400',
  ]) {
    expect([bad, isExactNumber(bad)]).toEqual([bad, false]);
  }
});

test('numbers are judged in time that grows with their length alone', () => {
  // A time that grows with the square of a million digits outlasts the test.
  expect(isExactNumber(`1${'0'.repeat(500_000)}1${'0'.repeat(500_000)}`)).toBe(false);
});

test('country codes are the 249 of ISO 3166-1, in two letters or three, in any letter case', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  const two = letters.flatMap((a) => letters.map((b) => a + b));
  const three = two.flatMap((ab) => letters.map((c) => ab + c));
  expect(two.filter(isCountryCode)).toHaveLength(249);
  expect(three.filter(isCountryCode)).toHaveLength(249);
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  for (const code of two.filter(isCountryCode)) expect(names.of(code)).toBeTypeOf('string');
  for (const code of ['DE', 'deu', 'Gbr', 'US', 'ZAF'])
    expect([code, isCountryCode(code)]).toEqual([code, true]);
  for (const code of ['', 'D', 'DEUT', 'XX', 'UK', 'EU', 'XKX', '276', 'D E', 'DE ', '\nDE'])
    expect([code, isCountryCode(code)]).toEqual([code, false]);
});

test('language tags are well-formed BCP 47, written in the letter case of RFC 5646', () => {
  for (const good of [
    'en',
    'pt-BR',
    'zh-Hant-TW',
    'de-CH-1996',
    'es-419',
    'en-u-ca-gregory',
    'EN-us',
    'sl-rozaj',
  ]) {
    expect([good, isLanguageTag(good)]).toEqual([good, true]);
  }
  for (const bad of [
    '',
    'e',
    'en_US',
    'en-',
    '-en',
    'englishlanguage',
    'en US',
    'en-u',
    'x-private',
    '1',
    `en-x-${'a-'.repeat(60)}a`,
  ]) {
    expect([bad, isLanguageTag(bad)]).toEqual([bad, false]);
  }
  expect(isLanguageTag(`en-x-${'a-'.repeat(47)}a`)).toBe(true);
  expect(isLanguageTag(`en-x-${'a-'.repeat(47)}aa`)).toBe(false);
  expect(
    ['EN', 'PT-br', 'ZH-hANT-tw', 'SL-Rozaj-1996', 'en-A-BB-Cccc-u-DD', 'DE-1901-de'].map(languageTagCase),
  ).toEqual(['en', 'pt-BR', 'zh-Hant-TW', 'sl-rozaj-1996', 'en-a-bb-cccc-u-dd', 'de-1901-DE']);
});

test('a web address is judged the same way however often it is asked for', () => {
  const answers = Array.from({ length: 20_000 }, () => isWebUrl('https://müller.example/ü'));
  expect(answers).not.toContain(false);
});

test('web addresses are absolute http or https URLs', () => {
  for (const good of [
    'http://a.example',
    'HTTPS://a.example:8443/b?c#d',
    'https://müller.example/ü',
    'http://127.0.0.1/',
  ]) {
    expect([good, isWebUrl(good)]).toEqual([good, true]);
  }
  for (const bad of [
    '',
    'a.example',
    '//a.example',
    'ftp://a.example',
    'javascript:alert(1)',
    'http://',
    'http:a.example',
    ' http://a.example',
    'http://a.example/b c',
    'http://a\\b',
    'http://a\u0001b',
    'http://a\u007fb',
    'https://a:99999',
    'xhttp://a.example',
  ]) {
    expect([bad, isWebUrl(bad)]).toEqual([bad, false]);
  }
});

test('e-mail addresses have a local part and a domain of two labels at least', () => {
  const long = (local: number, label: number) => `${'l'.repeat(local)}@${'d'.repeat(label)}.example`;
  const domain = (length: number) => `${'d'.repeat(60)}.`.repeat(3) + 'e'.repeat(length);
  const good = [
    'a@b.example',
    'first.last+tag@sub.b.example',
    'ä@müller.example',
    "o'neil@b-c.example",
    long(64, 63),
    `${'l'.repeat(50)}@${domain(20)}`,
    `${'l'.repeat(50)}@${domain(20)}`,
  ];
  for (const each of good) expect([each, isEmail(each)]).toEqual([each, true]);
  const bad = [
    '',
    '@',
    'a',
    'a@',
    '@b.example',
    'a@b',
    'a@b..example',
    'a@.example',
    'a@b.example.',
    'a b@c.example',
    'a@b c.example',
    'a@@b.example',
    'a@b@c.example',
    '.a@b.example',
    'a.@b.example',
    'a..b@c.example',
    'A <a@b.example>',
    'a@-b.example',
    'a@b-.example',
    'a@b_c.example',
    'a\u0001@b.example',
    '"a"@b.example',
    'a,b@c.example',
    long(65, 63),
    long(64, 64),
  ];
  for (const each of bad) expect([each, isEmail(each)]).toEqual([each, false]);
  const exact = `${'l'.repeat(10)}@${`${'d'.repeat(60)}.`.repeat(3)}${'e'.repeat(60)}`;
  expect(exact).toHaveLength(254);
  expect(isEmail(exact)).toBe(true);
  expect(isEmail(`l${exact}`)).toBe(false);
});

test('media types go by the extension', () => {
  const names =
    'avif css csv docx gif htm html ico jpeg jpg js json map md mjs pdf png rtf svg txt wasm webp woff woff2 xml yaml zip';
  expect(names.split(' ').map((each) => `${each} ${mediaTypeOf(`a/b.c.${each}`)}`)).toMatchInlineSnapshot(`
    [
      "avif image/avif",
      "css text/css",
      "csv text/csv",
      "docx application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "gif image/gif",
      "htm text/html",
      "html text/html",
      "ico image/x-icon",
      "jpeg image/jpeg",
      "jpg image/jpeg",
      "js text/javascript",
      "json application/json",
      "map application/json",
      "md text/markdown",
      "mjs text/javascript",
      "pdf application/pdf",
      "png image/png",
      "rtf application/rtf",
      "svg image/svg+xml",
      "txt text/plain",
      "wasm application/wasm",
      "webp image/webp",
      "woff font/woff",
      "woff2 font/woff2",
      "xml application/xml",
      "yaml application/yaml",
      "zip application/zip",
    ]
  `);
  expect([mediaTypeOf('a.PDF'), mediaTypeOf('a.bin'), mediaTypeOf('LICENSE')]).toEqual([
    'application/pdf',
    'application/octet-stream',
    'application/octet-stream',
  ]);
});

test('canonical JSON does not depend on the order of members', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
  expect(canonicalJson({ a: 'x', b: [{ c: null, d: 1 }] })).toBe(
    canonicalJson({ b: [{ d: 1, c: null }], a: 'x' }),
  );
  expect(canonicalJson([2, 1])).toBe('[2,1]');
  expect(canonicalJson('x')).toBe('"x"');
  expect(canonicalJson(null)).toBe('null');
});

test('texts are compared by code units', () => {
  expect(['b', 'B', 'a', 'ä', 'b', ''].toSorted(compareText)).toEqual(['', 'B', 'a', 'b', 'b', 'ä']);
  expect([compareText('a', 'a'), compareText('a', 'b'), compareText('b', 'a')]).toEqual([0, -1, 1]);
});

test('translations of a package win, and languages that it does not mention stay', () => {
  const translation = (languageId: string, moduleName: string) => ({
    languageId,
    moduleName,
    shortName: null,
    description: null,
    shortDescription: null,
    websiteUrl: null,
    websiteName: null,
    supportContact: null,
  });
  const current = [translation('c', 'old'), translation('b', 'old')];
  expect(mergeTranslations(current, [translation('b', 'new'), translation('a', 'new')])).toEqual([
    translation('a', 'new'),
    translation('b', 'new'),
    translation('c', 'old'),
  ]);
  expect(mergeTranslations(current, [])).toEqual([translation('b', 'old'), translation('c', 'old')]);
});

test('JSON Pointers escape, and are told as people write them', () => {
  expect(pointerTo('/a', 'b~/c')).toBe('/a/b~0~1c');
  expect(segmentsOf('/a/b~0~1c/~01')).toEqual(['a', 'b~/c', '~1']);
  expect(segmentsOf('')).toEqual([]);
  expect(pathLabel('/a/0/b c/12/d')).toBe('a[0].b c[12].d');
  expect(pathLabel('/0/a1')).toBe('[0].a1');
  expect(pathLabel('/a/0b/1')).toBe('a.0b[1]');
  expect(pointerTo('/a', 'x'.repeat(201))).toBe('/a');
  expect(pointerTo('/a', 5)).toBe('/a/5');
});

test('an object is neither null nor a list nor anything plain', () => {
  expect([{}, { a: 1 }, [], null, undefined, 'x', 5, true].map(isMembers)).toEqual([
    true,
    true,
    ...Array.from({ length: 6 }, () => false),
  ]);
});

test('values are told in a few words', () => {
  expect([null, 'a"b\n', 1.5, true, [1], { a: 1 }].map(describeValue)).toEqual([
    'null',
    '"a\\"b\\n"',
    '1.5',
    'true',
    'an array',
    'an object',
  ]);
  expect(quoteText('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
  expect(quoteText('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`);
  expect(quoteText(`${'x'.repeat(59)}😀`)).toBe(`"${'x'.repeat(59)}\\ud83d…"`);
});

test('problems are ordered by stage, entry, pointer, offset, line, column, code and detail', () => {
  const ordered = [
    problem('archive-unreadable', 'x'),
    problem('archive-entry-corrupt', 'x', { entry: 'b' }),
    problem('layout-file-type', 'x', { entry: 'a' }),
    problem('descriptor-invalid', 'x', { entry: 'b', pointer: '/a', line: 9 }),
    problem('descriptor-invalid', 'x', { entry: 'b', pointer: '/b', offset: 1, line: 9 }),
    problem('descriptor-invalid', 'x', { entry: 'b', pointer: '/b', offset: 2, line: 1, column: 9 }),
    problem('descriptor-invalid', 'x', { entry: 'b', pointer: '/b', offset: 2, line: 2, column: 1 }),
    problem('descriptor-invalid', 'x', { entry: 'b', pointer: '/b', offset: 2, line: 2, column: 2 }),
    problem('descriptor-invalid', 'y', { entry: 'b', pointer: '/b', offset: 2, line: 2, column: 2 }),
    problem('descriptor-not-json', 'a', { entry: 'b', pointer: '/b', offset: 2, line: 2, column: 2 }),
    problem('registry-scope-taken', 'x', { entry: 'a' }),
  ];
  expect(ordered.toReversed().toSorted(compareProblems)).toEqual(ordered);
  expect(compareProblems(problem('roles-invalid', 'x'), problem('roles-invalid', 'x'))).toBe(0);
  expect(compareProblems(problem('roles-invalid', 'x'), problem('roles-invalid', 'x', { offset: 0 }))).toBe(
    -1,
  );
});

test('of many problems the first are told and all are counted', () => {
  const problems = [
    problem('roles-invalid', 'b', { entry: 'b' }),
    problem('layout-litter-skipped', 'd', { entry: 'd' }),
    problem('roles-invalid', 'a', { entry: 'a' }),
    problem('layout-litter-skipped', 'c', { entry: 'c' }),
    problem('roles-invalid', 'c', { entry: 'c' }),
  ];
  const { errors, warnings, errorsTotal } = listProblems(problems, 2);
  expect(errors.map(({ detail }) => detail)).toEqual(['a', 'b']);
  expect(warnings.map(({ detail }) => detail)).toEqual(['c', 'd']);
  expect(errorsTotal).toBe(3);
  expect(listProblems(problems, 1).warnings).toHaveLength(1);
});

describe('the schemas that are served', () => {
  const draft06: unknown = createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-06.json');

  test('the roles schema is of draft-06, and valid under it', () => {
    expect(rolesEntitiesSchema.$schema).toBe('http://json-schema.org/draft-06/schema#');
    const ajv = new Ajv({ meta: false });
    if (typeof draft06 !== 'object' || draft06 === null) throw new Error('no meta schema');
    ajv.addMetaSchema(draft06);
    expect(ajv.validateSchema(rolesEntitiesSchema)).toBe(true);
  });

  test('the other two are of draft-07, and valid under it', () => {
    for (const schema of [moduleSchema, alertRulesSchema]) {
      expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
      expect(new Ajv({ allowUnionTypes: true, validateFormats: false }).validateSchema(schema)).toBe(true);
    }
  });

  /** Every property schema, with its name. */
  function members(schema: unknown): [string, Record<string, unknown>][] {
    if (typeof schema !== 'object' || schema === null) return [];
    return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
      const own =
        key === 'properties' ? Object.entries(value as Record<string, Record<string, unknown>>) : [];
      return [...own, ...members(value)];
    });
  }

  test.each([
    ['module-schema', moduleSchema],
    ['roles-entities', rolesEntitiesSchema],
    ['alert-rules', alertRulesSchema],
  ])('every member of %s has a title, and no text is empty', (_name, schema) => {
    expect(schema.title).not.toBe('');
    expect(schema.description).not.toBe('');
    const found = members(schema).filter(
      ([, each]) => typeof each === 'object' && !('const' in each && Object.keys(each).length === 1),
    );
    expect(found.length).toBeGreaterThan(6);
    for (const [name, member] of found)
      expect([name, member['title']]).toEqual([name, expect.stringMatching(/\S/)]);
    expect(JSON.stringify(schema)).not.toMatch(/"(?:title|description)":""/);
  });
});
