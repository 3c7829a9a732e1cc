import { expect, test } from 'vitest';
import { BROKEN_YAML } from '../../support/broken-texts.ts';
import { judgeAlertRules } from '../../../shared/package/judge-alert-rules.ts';
import { EXAMPLE_ALERT_RULES, tellProblems } from '../../support/package-builder.ts';

const ENTRY = 'AlertRuleDefinitionFile/rules.yaml';

function judged(text: string | Buffer) {
  return judgeAlertRules(ENTRY, Buffer.from(text));
}

function told(text: string | Buffer): string[] {
  return tellProblems(judged(text).problems);
}

/** A file with one criterion that has the given parts, in flow style on line 5. */
function withParts(parts: string): string {
  return `schema: 1.1\ncriterias:\n  a:\n    displayName: { en: A }\n    parts: ${parts}\n`;
}

test('the file that vendors write is given in its normal form', () => {
  const { alertRules, problems } = judged(EXAMPLE_ALERT_RULES);
  expect(problems).toEqual([]);
  expect(alertRules).toMatchInlineSnapshot(`
    {
      "criterias": {
        "temperature": {
          "description": {
            "en": "Air temperature two metres above ground",
          },
          "displayName": {
            "de": "Temperatur",
            "en": "Temperature",
          },
          "parts": {
            "operator": {
              "field": "select",
              "max": null,
              "min": null,
              "options": {
                "gt": {
                  "en": "greater than",
                },
                "lt": {
                  "en": "less than",
                },
              },
              "title": {
                "en": "Comparison",
              },
              "unit": null,
            },
            "value": {
              "field": "number",
              "max": 60,
              "min": -50,
              "options": null,
              "title": {
                "en": "Value",
              },
              "unit": "°C",
            },
          },
        },
      },
      "schema": 1.1,
    }
  `);
});

test('schema is the number 1.1, tagged or not', () => {
  for (const written of ['1.1', '!!float 1.1', '!!float "1.1"', '1.10']) {
    expect(told(EXAMPLE_ALERT_RULES.replace('!!float 1.1', written))).toEqual([]);
  }
  expect(told(EXAMPLE_ALERT_RULES.replace('!!float 1.1', '"1.1"'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be a number; it is "1.1".",
    ]
  `);
  expect(told(EXAMPLE_ALERT_RULES.replace('!!float 1.1', '1.2'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be 1.1; it is 1.2.",
    ]
  `);
});

test('schema and criterias are required, with a criterion at least', () => {
  expect(told('{}')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:1 /schema | schema is missing.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:1 /criterias | criterias is missing.",
    ]
  `);
  expect(told('')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:1 (root) | The file must be an object; it is null.",
    ]
  `);
  expect(told('schema: 1.1\ncriterias: {}')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:12 /criterias | criterias must have at least 1 member.",
    ]
  `);
});

test('a criterion has displayName and parts, a part field and title', () => {
  expect(told('schema: 1.1\ncriterias:\n  a: {}\n  b: { displayName: { en: B }, parts: { c: {} } }'))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:6 /criterias/a/displayName | criterias.a.displayName is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:6 /criterias/a/parts | criterias.a.parts is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:44 /criterias/b/parts/c/field | criterias.b.parts.c.field is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:44 /criterias/b/parts/c/title | criterias.b.parts.c.title is missing.",
      ]
    `);
});

test('unknown members are refused at every level', () => {
  expect(
    told(
      'schema: 1.1\nextra: 1\ncriterias:\n  a: { displayName: { en: A }, more: 1, parts: { b: { field: text, title: { en: B }, "<<": 2 } } }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:1 /extra | The property "extra" is not known here.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:32 /criterias/a/more | The property "more" is not known here.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:86 /criterias/a/parts/b/<< | The property "<<" is not known here.",
    ]
  `);
  expect(
    told(
      '__proto__: { polluted: true }\nschema: 1.1\ncriterias: { constructor: { displayName: { en: A }, parts: {} } }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:1 /__proto__ | The property "__proto__" is not known here.",
    ]
  `);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('a merge key is an unknown member like any other', () => {
  expect(told(withParts('{ b: { field: text, title: { en: B }, <<: { unit: m } } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:50 /criterias/a/parts/b/<< | The property "<<" is not known here.",
    ]
  `);
});

test('values of any kind where objects belong are told once', () => {
  for (const value of ['5', 'x', 'null', '[]', '[5]']) {
    expect(told(withParts(`{ b: ${value} }`))).toHaveLength(1);
    expect(told(withParts(value))).toHaveLength(1);
    expect(told(`schema: 1.1\ncriterias: { a: ${value} }`)).toHaveLength(1);
    expect(told(`schema: 1.1\ncriterias: ${value}`)).toHaveLength(1);
  }
});

test('texts are by language, with English among them', () => {
  expect(
    told(
      'schema: 1.1\ncriterias:\n  a: { displayName: { de: A }, description: { e_n: x }, parts: { b: { field: text, title: text } } }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:21 /criterias/a/displayName/en | criterias.a.displayName.en is missing.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:45 /criterias/a/description/en | criterias.a.description.en is missing.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:47 /criterias/a/description/e_n | The name "e_n" must be a language tag of BCP 47 such as "en" or "pt-BR".",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:91 /criterias/a/parts/b/title | criterias.a.parts.b.title must be an object; it is "text".",
    ]
  `);
  expect(told('schema: 1.1\ncriterias:\n  a: { displayName: { en: 1, pt-BR: x }, parts: {} }'))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:27 /criterias/a/displayName/en | criterias.a.displayName.en must be a string; it is 1.",
      ]
    `);
});

test('field is select, number, text, boolean or date', () => {
  for (const field of ['number', 'text', 'boolean', 'date']) {
    expect(told(withParts(`{ b: { field: ${field}, title: { en: B } } }`))).toEqual([]);
  }
  expect(told(withParts('{ b: { field: color, title: { en: B } } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:26 /criterias/a/parts/b/field | criterias.a.parts.b.field must be one of select, number, text, boolean, date; it is "color".",
    ]
  `);
});

test('a select needs options, each with an English text', () => {
  expect(told(withParts('{ b: { field: select, title: { en: B } } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:17 /criterias/a/parts/b/options | criterias.a.parts.b.options is missing.",
    ]
  `);
  expect(told(withParts('{ b: { field: select, title: { en: B }, options: {} } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:61 /criterias/a/parts/b/options | criterias.a.parts.b.options must have at least 1 member.",
    ]
  `);
  expect(told(withParts('{ b: { field: select, title: { en: B }, options: { x: { de: X } } } }')))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:66 /criterias/a/parts/b/options/x/en | criterias.a.parts.b.options.x.en is missing.",
      ]
    `);
  expect(told(withParts('{ b: { field: select, title: { en: B }, options: { x: { en: X } } } }'))).toEqual(
    [],
  );
});

test('min and max are exact finite numbers, the smaller one first', () => {
  const part = (bounds: string) => told(withParts(`{ b: { field: number, title: { en: B }, ${bounds} } }`));
  expect(part('min: 5, max: 5')).toEqual([]);
  expect([...part('min: 5'), ...part('max: -5'), ...part('unit: m')]).toEqual([]);
  expect(part('min: 0x1F, max: 0o77')).toEqual([]);
  expect(part('min: 0.123456789012345, max: 1e3')).toEqual([]);
  for (const inexact of ['1.00000000000000001', '0x1FFFFFFFFFFFF1', '0x1FFFFFFFFFFFFF', '9007199254740993'])
    expect([inexact, part(`min: ${inexact}`).length]).toEqual([inexact, 1]);
  expect(part('min: 5, max: 4.9')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:65 /criterias/a/parts/b/max | criterias.a.parts.b.max must not be below min.",
    ]
  `);
  expect(part('min: 0.1234567890123456, max: 1234567890123456')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:57 /criterias/a/parts/b/min | criterias.a.parts.b.min must have at most 15 significant digits.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:82 /criterias/a/parts/b/max | criterias.a.parts.b.max must have at most 15 significant digits.",
    ]
  `);
  expect(part('min: .nan, max: .inf')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:57 /criterias/a/parts/b/min | criterias.a.parts.b.min must be a number; it is NaN.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:68 /criterias/a/parts/b/max | criterias.a.parts.b.max must be a number; it is Infinity.",
    ]
  `);
  expect(part('min: low')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:57 /criterias/a/parts/b/min | criterias.a.parts.b.min must be a number; it is "low".",
    ]
  `);
});

test('identifiers are printable, not blank, and not the name of the prototype', () => {
  const criteria = (name: string) =>
    told(`schema: 1.1\ncriterias:\n  ${name}: { displayName: { en: A }, parts: {} }`);
  expect(criteria('température 2')).toEqual([]);
  expect(criteria('n'.repeat(200))).toEqual([]);
  expect(criteria('" "')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:3 /criterias/  | The name " " must be printable text that is not blank, and not "__proto__".",
    ]
  `);
  expect(criteria('"a\\nb"')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:3 /criterias/a
    b | The name "a\\nb" must be printable text that is not blank, and not "__proto__".",
    ]
  `);
  expect(criteria('__proto__')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:3 /criterias/__proto__ | The name "__proto__" must be printable text that is not blank, and not "__proto__".",
    ]
  `);
  expect(criteria('n'.repeat(201))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:3 /criterias | The key "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…" has more than 200 characters.",
    ]
  `);
  expect(told(withParts('{ __proto__: { field: text, title: { en: B } } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:14 /criterias/a/parts/__proto__ | The name "__proto__" must be printable text that is not blank, and not "__proto__".",
    ]
  `);
});

test('titles, option texts and units have at most 200 characters, descriptions 20,000', () => {
  const file = (name: number, text: number) => {
    const long = 'n'.repeat(name);
    return told(
      `schema: 1.1\ncriterias:\n  a:\n    displayName: { en: ${long} }\n    description: { en: ${'d'.repeat(text)} }\n` +
        `    parts: { b: { field: select, title: { en: ${long} }, options: { o: { en: ${long} } }, unit: ${long} } }`,
    ).map((each) => each.split(' | ')[0]);
  };
  expect(file(200, 20_000)).toEqual([]);
  expect(file(201, 20_001)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:24 /criterias/a/displayName/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:24 /criterias/a/description/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:6:47 /criterias/a/parts/b/title/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:6:272 /criterias/a/parts/b/options/o/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:6:485 /criterias/a/parts/b/unit",
    ]
  `);
});

test('no text holds NUL or a lone surrogate', () => {
  expect(
    told(
      'schema: 1.1\ncriterias:\n  a: { displayName: { en: "a\\0" }, description: { en: "\\ud800" }, parts: {} }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:27 /criterias/a/displayName/en | criterias.a.displayName.en must be text without NUL characters and lone surrogates; it is "a\\u0000".",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:55 /criterias/a/description/en | criterias.a.description.en must be text without NUL characters and lone surrogates; it is "\\ud800".",
    ]
  `);
});

test('keys stand once', () => {
  expect(told(`${EXAMPLE_ALERT_RULES}schema: 1.1\n`)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:12:1 /schema | The key "schema" stands twice.",
    ]
  `);
  expect(judged(`${EXAMPLE_ALERT_RULES}schema: 1.1\n`).alertRules).toBeNull();
});

test.each(BROKEN_YAML)('%s is no YAML', (_name, text) => {
  const problems = told(text);
  expect(problems).toMatchSnapshot();
  expect(problems[0]).toMatch(/^✗ alert-rules-not-yaml /);
});

test('core tags, a directive of 1.2, a byte order mark and a document end are read', () => {
  const tagged =
    '!!map\nschema: !!float 1.1\ncriterias: !<tag:yaml.org,2002:map> { a: { displayName: { en: !!str 5 }, parts: {} } }\n';
  expect(told(tagged)).toEqual([]);
  expect(told(`\uFEFF%YAML 1.2\n---\n${EXAMPLE_ALERT_RULES}...\n`)).toEqual([]);
  expect(told(withParts('{ b: { field: ! text, title: { en: B } } }'))).toEqual([]);
});

test('an alias stands for its anchor, the latest of its name', () => {
  const { alertRules, problems } = judged(
    'schema: 1.1\ncriterias:\n  a: { displayName: &t { en: A }, parts: {} }\n  b: { displayName: &t { en: B }, description: *t, parts: {} }\n' +
      '  &k c: { displayName: { en: *k }, parts: { ? d } }\n'.replace(', parts: { ? d }', ', parts: {}'),
  );
  expect(problems).toEqual([]);
  expect(alertRules?.criterias['b']?.description).toEqual({ en: 'B' });
  expect(alertRules?.criterias['c']?.displayName).toEqual({ en: 'c' });
});

test('an anchor is set where it is written, not where an alias repeats it', () => {
  const { alertRules, problems } = judged(
    'schema: 1.1\ncriterias:\n  a: { displayName: &a { en: &k A }, parts: {} }\n' +
      '  b: { displayName: { en: &k B }, description: *a, parts: {} }\n  c: { displayName: { en: *k }, parts: {} }\n',
  );
  expect(problems).toEqual([]);
  expect(alertRules?.criterias['b']?.description).toEqual({ en: 'A' });
  expect(alertRules?.criterias['c']?.displayName).toEqual({ en: 'B' });
});

test.each([
  ['sequences', '[', ']'],
  ['maps', '{ a: ', '}'],
])('aliases nest at most 64 deep, in %s too', (_name, open, close) => {
  const nested = (anchored: number, around: number) =>
    told(
      `a: &a ${open.repeat(anchored)}1${close.repeat(anchored)}\n` +
        `b: ${open.repeat(around)}*a${close.repeat(around)}`,
    )[0]?.split(' ')[1];
  expect(nested(30, 32)).toBe('alert-rules-invalid');
  expect(nested(30, 33)).toBe('alert-rules-not-yaml');
  expect(nested(33, 30)).toBe('alert-rules-not-yaml');
});

test('the first of several faults is told, and in brief', () => {
  const [tag, ...more] = told('a: !mine 1\nb: [1');
  expect(tag).toContain('rules.yaml:1:4 ');
  expect(more).toEqual([]);
  const [long] = told(`a: !${'x'.repeat(1000)} 1`);
  expect(long).toMatch(/[^x]x{150,200}\.$/);
  expect(told('a: !mine 1')[0]).not.toContain('..');
});

test('a problem behind an alias is placed where the anchor stands, its key where the alias does', () => {
  expect(
    told(
      'schema: 1.1\ncriterias:\n  a: { displayName: &t { en: 1 }, parts: {} }\n  b: { displayName: *t, parts: {} }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:30 /criterias/a/displayName/en | criterias.a.displayName.en must be a string; it is 1.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:30 /criterias/b/displayName/en | criterias.b.displayName.en must be a string; it is 1.",
    ]
  `);
});

test('a key without a value is null', () => {
  expect(told('schema: 1.1\ncriterias:\n  ? a\n')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:5 /criterias/a | criterias.a must be an object; it is null.",
    ]
  `);
});

test('aliases expand to at most 10,000 values', () => {
  // Each level holds the one before ten times: "billion laughs".
  const levels = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    levels.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  expect(told(levels.join('\n'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:1:28 | The aliases expand to more than 10000 values.",
    ]
  `);
  const aliases = (count: number) =>
    told(`a: &a 1\nb: [${Array.from({ length: count }, () => '*a').join(',')}]`);
  expect(aliases(10_000)[0]).toContain('alert-rules-invalid');
  expect(aliases(10_001)[0]).toContain('alert-rules-not-yaml');
});

test.each([
  ['flow sequences', '['],
  ['flow maps', '{a: '],
  ['block sequences', '- '],
  ['explicit keys', '? '],
])('%s nest at most 64 deep, however long the text', (_name, opening) => {
  const [first] = told(opening.repeat(Math.floor(1_000_000 / opening.length)));
  expect(first).toContain('The text is nested more than 64 levels deep.');
});

test.each([
  ['flow sequences', '[', ']'],
  ['flow maps', '{ a: ', '}'],
  ['block sequences', '- ', ''],
  ['block maps', 'a:\n', ''],
])('%s may nest 64 deep, and not 65', (_name, open, close) => {
  const nested = (depth: number) => {
    const opened = Array.from({ length: depth }, (_, level) =>
      open.endsWith('\n') ? ' '.repeat(level) + open : open,
    );
    const indent = open.endsWith('\n') ? ' '.repeat(depth) : '';
    return told(`${opened.join('')}${indent}1${close.repeat(depth)}`)[0];
  };
  expect(nested(64)).toMatch(/^✗ alert-rules-invalid /);
  expect(nested(65)).toContain('The text is nested more than 64 levels deep.');
});

test('a text has at most 100,000 tokens', () => {
  expect(told(`[${'0,'.repeat(500_000)}0]`)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:1:100002 | The text has more than 100000 tokens.",
    ]
  `);
  expect(told('a:\n'.repeat(300_000))[0]).toContain('more than 100000 tokens');
});
