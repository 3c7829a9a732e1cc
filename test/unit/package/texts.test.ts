import { describe, expect, test } from 'vitest';
import { BROKEN_JSON } from '../../support/broken-texts.ts';
import { canonicalJson } from '../../../shared/package/text/canonical-json.ts';
import { compareText } from '../../../shared/package/text/compare-text.ts';
import { pathLabel, pointerTo, segmentsOf } from '../../../shared/package/text/json-pointer.ts';
import { nodeAt } from '../../../shared/package/text/located-text.ts';
import { mergeTranslations } from '../../../shared/package/descriptor/normal-descriptor.ts';
import { parseJson } from '../../../shared/package/text/parse-json.ts';
import { parseYaml } from '../../../shared/package/text/parse-yaml.ts';
import { describeValue, quoteText } from '../../../shared/package/text/quote-value.ts';
import { isMembers } from '../../../shared/package/schema/read-members.ts';

describe('JSON', () => {
  const issueOf = (text: string) => {
    const parsed = parseJson('a.json', Buffer.from(text));
    return 'detail' in parsed ? `${parsed.line}:${parsed.column} ${parsed.detail}` : null;
  };

  test.each(BROKEN_JSON)('refuses %s', (_name, text, position) =>
    expect(issueOf(text)).toMatch(new RegExp(`^${position} The text is not JSON\\. `)),
  );

  test('says what is most likely wrong', () => {
    const texts = [
      '{"a": 1,}',
      "{'a': 1}",
      '{a: 1}',
      '{"a": 1 "b": 2}',
      '{"a": 1',
      '{"a": True}',
      '// a\n{}',
      '{"a": 1}}',
    ];
    expect(texts.map(issueOf)).toMatchInlineSnapshot(`
      [
        "1:9 The text is not JSON. Remove the comma before the closing bracket.",
        "1:2 The text is not JSON. Put names and texts into double quotes.",
        "1:2 The text is not JSON. Put names and texts into double quotes; only true, false and null have none.",
        "1:9 The text is not JSON. A comma, or a colon after a name, is missing before this.",
        "1:8 The text is not JSON. The text ends too early: a quote, a bracket, a brace or a value is missing.",
        "1:7 The text is not JSON. Put names and texts into double quotes; only true, false and null have none.",
        "1:1 The text is not JSON. JSON has no comments. Remove this one.",
        "1:9 The text is not JSON. Something else is expected here: check the brackets, commas and quotes before it.",
      ]
    `);
  });

  test.each([
    [
      'Write the number without a plus sign and leading zeros, and with digits on both sides of a point.',
      ['[+1]', '[.5]', '[1.]', '[1.e5]', '[1.\n]', '[01]', '[-01]', '[1, 00]', '{"a":  -02}', '[1 -03]'],
    ],
    ['Write a backslash in a text as two backslashes.', [String.raw`{"a": \"b\"}`, String.raw`[1]\n`, '\\']],
    [
      'Write a backslash in a text as two backslashes.',
      [String.raw`{"a": "C:\users\x"}`, String.raw`{"\u12g": 1}`, String.raw`["\u"]`, String.raw`["\\u\q"]`],
    ],
    [
      'Replace this invisible character by a space: JSON has no blanks but spaces, tabs and line breaks.',
      [
        '{}\u00a0',
        '{}\n\uFEFF\n',
        '{}\u2028',
        '{"a":\u00a01}',
        '[1,\u00a0]',
        '[\u00a0+1]',
        '\uFEFF\uFEFF{}',
        '\u00a0',
      ],
    ],
    ['Remove the comma before the closing bracket.', ['[1,   ]', '[[],]', '{"a": {},\n}']],
    ['Put names and texts into double quotes.', ["['a']", "{'a': 1}", `{"a": 'b'}`]],
    [
      'JSON has no comments. Remove this one.',
      ['# a\n{}', '{"a": 1,\n# b\n}', '[1 /* a */]', '[1, // a\n2]'],
    ],
    [
      'A comma, or a colon after a name, is missing before this.',
      ['["a" "b"]', '{"a" "b"}', '[1 {}]', '{"a" {}}', '[{} {}]', '[1 [2]]', '{"a" [1]}', '[[] []]'],
    ],
    [
      'Put names and texts into double quotes; only true, false and null have none.',
      ['[truely]', '{_a: 1}', '{"a": $b}', '{"a": x.y}', '[Infinity]'],
    ],
    [
      'Something else is expected here: check the brackets, commas and quotes before it.',
      ['[}', '{]', '[1}', '{"a": 1]', '{[', '[{{', '{,"a": 1}', '[:"a"]', '{"a"::"b"}', '[-]', '[1e]', '(1)'],
    ],
  ])('says what is wrong: %s', (detail, wrong) => {
    for (const text of wrong)
      expect([text, issueOf(text)?.replace(/^\d+:\d+ /, '')]).toEqual([
        text,
        `The text is not JSON. ${detail}`,
      ]);
  });

  test.each([
    [String.raw`["C:\users"]`, '1:5'],
    [String.raw`["\u12"]`, '1:3'],
    [String.raw`["\u12\n"]`, '1:3'],
    [String.raw`["\\u12\q"]`, '1:8'],
  ])('finds the backslash that is not written as two: %j', (text, position) =>
    expect(issueOf(text)).toBe(
      `${position} The text is not JSON. Write a backslash in a text as two backslashes.`,
    ),
  );

  test.each([
    ['{"name": "a", "list": [1, 2', '1:28'],
    ['{"list": [true, tru', '1:20'],
    ['{"name": "Field', '1:16'],
    ['{"name":   ', '1:9'],
    ['{\n  "list": [-', '2:13'],
    ['{"name": "a",\n\n', '1:14'],
    ['{\n  "list": [1]\n \n', '2:14'],
  ])('that ends too early is wrong at its end, whatever blanks follow: %j', (text, position) =>
    expect(issueOf(text)).toBe(
      `${position} The text is not JSON. The text ends too early: a quote, a bracket, a brace or a value is missing.`,
    ),
  );

  test.each([
    ['{}\u00a0', '1:3'],
    ['{}\n \uFEFF', '2:2'],
    ['[1,\u00a02]', '1:4'],
  ])('finds the blank that is not of JSON: %j', (text, position) =>
    expect(issueOf(text)).toContain(`${position} The text is not JSON. Replace this invisible character`),
  );

  test.each(['\n', '\r\n', '\r', '\r\r\n'])('finds the place in lines that end with %j', (end) =>
    expect(issueOf(`{${end}"a": 1,${end}}`)).toMatch(/:1 The text is not JSON\. Remove the comma before/),
  );

  test('refuses raw control characters in strings', () => {
    const detail = String.raw`A string contains a control character that is not escaped. Write \n for a line break, and \t for a tab.`;
    expect(issueOf('{\n"a": "b\tc"}')).toBe(`2:8 ${detail}`);
    expect(issueOf('{"a\u0000": 1}')).toBe(`1:4 ${detail}`);
    expect(issueOf('"\u001f"')).toBe(`1:2 ${detail}`);
    expect(issueOf('"a\\"\u0001"')).toBe(`1:5 ${detail}`);
    expect(issueOf('"\u007f \\\\"')).toBeNull();
    expect(issueOf('\t"a"\r\n')).toBeNull();
  });

  test('accepts 64 levels, counted outside strings, and not 65, however deep the text is', () => {
    expect(issueOf('['.repeat(64) + ']'.repeat(64))).toBeNull();
    expect(issueOf('{"a":'.repeat(64) + '1' + '}'.repeat(64))).toBeNull();
    expect(issueOf(`\n${'['.repeat(65)}`)).toBe('2:65 The text is nested more than 64 levels deep.');
    expect(issueOf('{"a":'.repeat(65))).toBe('1:321 The text is nested more than 64 levels deep.');
    expect(issueOf(`"${'['.repeat(100)}\\"${'{'.repeat(100)}"`)).toBeNull();
    expect(issueOf(`[${'[],{},'.repeat(100)}1]`)).toBeNull();
    expect(issueOf('['.repeat(1024 * 1024))).toContain('64 levels');
  });

  test('accepts 50,000 values and not one more', () => {
    expect(issueOf(`[${'0,'.repeat(49_999)}0]`)).toBeNull();
    expect(issueOf(`[${'0,'.repeat(50_000)}0]`)).toBe('1:100001 The text has more than 50000 values.');
  });

  test('keeps the positions of values and names, and the source text of numbers', () => {
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

test('YAML keeps the positions of values and names, in lists too, and the source text of numbers', () => {
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

test.each([
  ['0x1E', '30'],
  ['0x10', '16'],
  ['0o17', '15'],
  ['+1.50', '+1.50'],
  ['.5', '.5'],
  ['1e3', '1e3'],
  ['.inf', null],
  ['-.inf', null],
  ['.nan', null],
  ['true', null],
  ['"5"', null],
])('YAML keeps the source text of a finite number, in decimal: of %s it is %s', (text, numberText) => {
  const parsed = parseYaml('a.yaml', Buffer.from(`a: ${text}`));
  if ('detail' in parsed) throw new Error(parsed.detail);
  expect(parsed.root.members?.get('a')?.numberText).toBe(numberText);
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

test('translations of a package take precedence, and languages that it does not mention are kept', () => {
  const translation = (languageId: string, moduleName: string, releaseNotes: string | null = null) => ({
    languageId,
    moduleName,
    shortName: null,
    description: null,
    shortDescription: null,
    websiteUrl: null,
    websiteName: null,
    supportContact: null,
    dataAreaReasons: null,
    releaseNotes,
  });
  // Only the notes of a language that is not mentioned go: they were about an earlier package.
  const current = [translation('c', 'old', 'Old.'), translation('b', 'old', 'Old.')];
  expect(mergeTranslations(current, [translation('b', 'new', 'New.'), translation('a', 'new')])).toEqual([
    translation('a', 'new'),
    translation('b', 'new', 'New.'),
    translation('c', 'old'),
  ]);
  expect(mergeTranslations(current, [])).toEqual([translation('b', 'old'), translation('c', 'old')]);
});

test('JSON Pointers are escaped, and printed unescaped in messages', () => {
  expect(pointerTo('/a', 'b~/c')).toBe('/a/b~0~1c');
  expect(segmentsOf('/a/b~0~1c/~01')).toEqual(['a', 'b~/c', '~1']);
  expect(segmentsOf('')).toEqual([]);
  expect(pathLabel('/a/0/b c/12/d')).toBe('a[0].b c[12].d');
  expect(pathLabel('/0/a1')).toBe('[0].a1');
  expect(pathLabel('/a/0b/1')).toBe('a.0b[1]');
  expect(pointerTo('/a', 'x'.repeat(201))).toBe('/a');
  expect(pointerTo('/a', 5)).toBe('/a/5');
});

test.each([
  ['JSON', parseJson],
  ['YAML', parseYaml],
])('a pointer in %s leads to a node, and does not step below 2,000 characters', (_name, parse) => {
  const name = 'n'.repeat(199);
  const nested = `{"${name}":[`.repeat(25) + '{"a":1,"a":2}' + ']}'.repeat(25);
  const parsed = parse('a', Buffer.from(nested));
  if ('detail' in parsed) throw new Error(parsed.detail);
  const [{ pointer } = { pointer: '' }] = parsed.duplicateKeys;
  expect(pointer).toBe(`${`/${name}/0`.repeat(9)}/${name}`);
  expect(nodeAt(parsed, pointer)).not.toBeNull();
});

test.each([
  ['JSON', parseJson],
  ['YAML', parseYaml],
])('a name of 200 characters in %s is pointed at, and one of 201 is too long', (_name, parse) => {
  const longKeys = (length: number) => {
    const parsed = parse('a', Buffer.from(`{"a": {"${'n'.repeat(length)}": 1}}`));
    if ('detail' in parsed) throw new Error(parsed.detail);
    return parsed.longKeys;
  };
  expect(longKeys(200)).toEqual([]);
  expect(longKeys(201)).toMatchObject([{ name: 'n'.repeat(201), pointer: '/a', line: 1, column: 8 }]);
});

test('an object is neither null nor a list nor a scalar', () =>
  expect([{}, { a: 1 }, [], null, undefined, 'x', 5, true].map(isMembers)).toEqual([
    true,
    true,
    ...Array.from({ length: 6 }, () => false),
  ]));

test('values are described briefly', () => {
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
