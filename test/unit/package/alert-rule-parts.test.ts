import { expect, test } from 'vitest';
import { problemsOf, withParts } from './validated-alert-rules.ts';

test('field is select, number, text, boolean or date', () => {
  for (const field of ['number', 'text', 'boolean', 'date']) {
    expect(problemsOf(withParts(`{ b: { field: ${field}, title: { en: B } } }`))).toEqual([]);
  }
  expect(problemsOf(withParts('{ b: { field: color, title: { en: B } } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:26 /criterias/a/parts/b/field | criterias.a.parts.b.field must be one of select, number, text, boolean, date; it is "color".",
    ]
  `);
});

test('a select needs options, each with an English text', () => {
  expect(problemsOf(withParts('{ b: { field: select, title: { en: B } } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:17 /criterias/a/parts/b/options | criterias.a.parts.b.options is missing.",
    ]
  `);
  expect(problemsOf(withParts('{ b: { field: select, title: { en: B }, options: {} } }')))
    .toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:61 /criterias/a/parts/b/options | criterias.a.parts.b.options must have at least 1 member.",
    ]
  `);
  expect(problemsOf(withParts('{ b: { field: select, title: { en: B }, options: { x: { de: X } } } }')))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:66 /criterias/a/parts/b/options/x/en | criterias.a.parts.b.options.x.en is missing.",
      ]
    `);
  expect(
    problemsOf(withParts('{ b: { field: select, title: { en: B }, options: { x: { en: X } } } }')),
  ).toEqual([]);
});

test('bounds and a unit are of numbers, options of a select: elsewhere they are a warning', () =>
  expect(
    problemsOf(
      withParts(
        '{ b: { field: text, title: { en: B }, max: 1, unit: m }, c: { field: number, title: { en: C }, options: { x: { en: X } } } }',
      ),
    ),
  ).toMatchInlineSnapshot(`
    [
      "! alert-rules-property-unused AlertRuleDefinitionFile/rules.yaml:5:50 /criterias/a/parts/b/max | max is for inputs of the kind number; this one is of the kind text, so it was ignored.",
      "! alert-rules-property-unused AlertRuleDefinitionFile/rules.yaml:5:58 /criterias/a/parts/b/unit | unit is for inputs of the kind number; this one is of the kind text, so it was ignored.",
      "! alert-rules-property-unused AlertRuleDefinitionFile/rules.yaml:5:107 /criterias/a/parts/c/options | options is for inputs of the kind select; this one is of the kind number, so it was ignored.",
    ]
  `));

test('min and max are exact finite numbers, the smaller one first', () => {
  const part = (bounds: string) =>
    problemsOf(withParts(`{ b: { field: number, title: { en: B }, ${bounds} } }`));
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
    problemsOf(`schema: 1.1\ncriterias:\n  ${name}: { displayName: { en: A }, parts: {} }`);
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
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:3 /criterias | The key "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…" has more than 200 characters. Shorten it.",
    ]
  `);
  expect(problemsOf(withParts('{ __proto__: { field: text, title: { en: B } } }'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:14 /criterias/a/parts/__proto__ | The name "__proto__" must be printable text that is not blank, and not "__proto__".",
    ]
  `);
});

test('titles, option texts and units have at most 200 characters, descriptions 20,000', () => {
  const file = (name: number, text: number) => {
    const long = 'n'.repeat(name);
    return problemsOf(
      `schema: 1.1\ncriterias:\n  a:\n    displayName: { en: ${long} }\n    description: { en: ${'d'.repeat(text)} }\n` +
        `    parts: { b: { field: select, title: { en: ${long} }, options: { o: { en: ${long} } } },` +
        ` c: { field: number, title: { en: C }, unit: ${long} } }`,
    ).map((each) => each.split(' | ')[0]);
  };
  expect(file(200, 20_000)).toEqual([]);
  expect(file(201, 20_001)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:24 /criterias/a/displayName/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:5:24 /criterias/a/description/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:6:47 /criterias/a/parts/b/title/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:6:272 /criterias/a/parts/b/options/o/en",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:6:525 /criterias/a/parts/c/unit",
    ]
  `);
});

test('no text contains NUL or a lone surrogate', () =>
  expect(
    problemsOf(
      'schema: 1.1\ncriterias:\n  a: { displayName: { en: "a\\0" }, description: { en: "\\ud800" }, parts: {} }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:27 /criterias/a/displayName/en | criterias.a.displayName.en must be text without NUL characters and lone surrogates; it is "a\\u0000".",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:55 /criterias/a/description/en | criterias.a.description.en must be text without NUL characters and lone surrogates; it is "\\ud800".",
    ]
  `));
