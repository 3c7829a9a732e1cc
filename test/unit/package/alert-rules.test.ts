import { expect, test } from 'vitest';
import { type AlertRules, expectedIntervalOf } from '../../../shared/package/alert-rules/alert-rules.ts';
import { EXAMPLE_ALERT_RULES } from '../../support/package-builder.ts';
import { validate, problemsOf, withParts } from './validated-alert-rules.ts';

test('the file that vendors write is returned in its normal form', () => {
  const { value: alertRules, problems } = validate(EXAMPLE_ALERT_RULES);
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
          "expectedIntervalHours": null,
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
      "expectedIntervalHours": null,
      "schema": 1.1,
    }
  `);
});

test('criteria, inputs and options keep their letter case and their order, and a criterion needs no inputs', () => {
  const { value } = validate(
    'schema: 1.1\ncriterias:\n' +
      '  Soil: { displayName: { en: S }, parts: { B: { field: select, title: { en: B }, options: { Gt: { en: X }, EQ: { en: Y } } }, a: { field: text, title: { pt-BR: A, en: A } } } }\n' +
      '  Air: { displayName: { en: A }, parts: {} }\n',
  );
  expect(Object.keys(value?.criterias ?? {})).toEqual(['Soil', 'Air']);
  const parts = value?.criterias['Soil']?.parts ?? {};
  expect(Object.keys(parts)).toEqual(['B', 'a']);
  expect(Object.keys(parts['B']?.options ?? {})).toEqual(['Gt', 'EQ']);
  expect(Object.keys(parts['a']?.title ?? {})).toEqual(['pt-BR', 'en']);
  expect(value?.criterias['Air']?.parts).toEqual({});
});

test('expectedIntervalHours is an integer from an hour to a year, of the file and of a criterion', () => {
  const file = (ofFile: string, ofCriterion: string) =>
    `schema: 1.1\n${ofFile}\ncriterias:\n  a:\n    displayName: { en: A }\n    ${ofCriterion}\n    parts: {}\n`;
  const interval = (hours: string) => `expectedIntervalHours: ${hours}`;
  for (const hours of ['1', '6', '8760'])
    expect(validate(file(interval(hours), interval(hours)))).toMatchObject({
      value: {
        expectedIntervalHours: Number(hours),
        criterias: { a: { expectedIntervalHours: Number(hours) } },
      },
      problems: [],
    });
  const wrong = ['0', '8761', '1.5', '-1', '"6"', 'null', 'daily'];
  expect(wrong.flatMap((hours) => problemsOf(file(interval(hours), '')))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:24 /expectedIntervalHours | expectedIntervalHours must not be below 1; it is 0.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:24 /expectedIntervalHours | expectedIntervalHours must not be above 8760; it is 8761.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:24 /expectedIntervalHours | expectedIntervalHours must be an integer; it is 1.5.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:24 /expectedIntervalHours | expectedIntervalHours must not be below 1; it is -1.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:24 /expectedIntervalHours | expectedIntervalHours must be an integer; it is "6".",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:24 /expectedIntervalHours | expectedIntervalHours must be an integer; it is null.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:24 /expectedIntervalHours | expectedIntervalHours must be an integer; it is "daily".",
    ]
  `);
  expect(problemsOf(file('', interval('0')))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:6:28 /criterias/a/expectedIntervalHours | criterias.a.expectedIntervalHours must not be below 1; it is 0.",
    ]
  `);
});

test("a criterion's interval is its own, else that of the file", () => {
  const criteria = 'a: { displayName: { en: A }, parts: {}, expectedIntervalHours: 6 }';
  const other = 'b: { displayName: { en: B }, parts: {} }';
  const rules = (ofFile: string) =>
    validate(`schema: 1.1\n${ofFile}\ncriterias:\n  ${criteria}\n  ${other}\n`).value;
  const intervals = (definition: AlertRules | null) =>
    ['a', 'b', 'c', 'constructor'].map((each) => expectedIntervalOf(definition, each));
  expect(intervals(rules('expectedIntervalHours: 24'))).toEqual([6, 24, null, null]);
  expect(intervals(rules(''))).toEqual([6, null, null, null]);
  expect(intervals(null)).toEqual([null, null, null, null]);
});

test('schema is 1 or 1.x, as a number or text, tagged or not', () => {
  const versions = {
    '1': 1,
    '1.1': 1.1,
    '1.10': 1.1,
    '1.25': 1.25,
    '"1"': 1,
    '"1.1"': 1.1,
    '!!str 1.1': 1.1,
  };
  const tagged = { '!!float 1': 1, '!!float 1.1': 1.1, '!!float "1.1"': 1.1, '!!float "1"': 1, '!!int 1': 1 };
  for (const [version, number] of Object.entries({ ...versions, ...tagged })) {
    const { value, problems } = validate(EXAMPLE_ALERT_RULES.replace('!!float 1.1', version));
    expect([version, value?.schema, problems]).toEqual([version, number, []]);
  }
  const wrong = ['2', '0.9', '"2.0"', '"1."', '1.1.1', 'true', '!!float x', '[1.1]'];
  expect(wrong.map((version) => problemsOf(EXAMPLE_ALERT_RULES.replace('!!float 1.1', version))))
    .toMatchInlineSnapshot(`
    [
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be below 2; it is 2.",
      ],
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must not be below 1; it is 0.9.",
      ],
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be a number; it is "2.0".",
      ],
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be a number; it is "1.".",
      ],
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be a number; it is "1.1.1".",
      ],
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be a number; it is true.",
      ],
      [
        "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:1:9 | The text is not YAML 1.2 as it is read here: The tag is not known here or does not fit the value. Remove it.",
      ],
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:9 /schema | schema must be a number; it is an array.",
      ],
    ]
  `);
});

test('schema and criterias are required, with at least one criterion', () => {
  expect(problemsOf('{}')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:1 /schema | schema is missing.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:1 /criterias | criterias is missing.",
    ]
  `);
  expect(problemsOf('')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:1:1 | The file has no content. Write the rules into it, or remove the file.",
    ]
  `);
  expect(problemsOf('schema: 1.1\ncriterias: {}')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:12 /criterias | criterias must have at least 1 member.",
    ]
  `);
});

test('a criterion has displayName and parts, a part field and title', () =>
  expect(problemsOf('schema: 1.1\ncriterias:\n  a: {}\n  b: { displayName: { en: B }, parts: { c: {} } }'))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:6 /criterias/a/displayName | criterias.a.displayName is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:6 /criterias/a/parts | criterias.a.parts is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:44 /criterias/b/parts/c/field | criterias.b.parts.c.field is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:44 /criterias/b/parts/c/title | criterias.b.parts.c.title is missing.",
      ]
    `));

test('unknown members are ignored at every level, with a warning each', () => {
  expect(
    problemsOf(
      'schema: 1.1\nextra: 1\ncriterias:\n  a: { displayName: { en: A }, more: 1, parts: { b: { field: text, title: { en: B }, "<<": 2 } } }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "! alert-rules-property-unknown AlertRuleDefinitionFile/rules.yaml:2:1 /extra | The property "extra" is not known and was ignored.",
      "! alert-rules-property-unknown AlertRuleDefinitionFile/rules.yaml:4:32 /criterias/a/more | The property "more" is not known and was ignored.",
      "! alert-rules-property-unknown AlertRuleDefinitionFile/rules.yaml:4:86 /criterias/a/parts/b/<< | The property "<<" is not known and was ignored.",
    ]
  `);
  expect(
    problemsOf(
      '__proto__: { polluted: true }\nschema: 1.1\ncriterias: { constructor: { displayName: { en: A }, parts: {} } }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "! alert-rules-property-unknown AlertRuleDefinitionFile/rules.yaml:1:1 /__proto__ | The property "__proto__" is not known and was ignored.",
    ]
  `);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('a file with warnings alone is read', () => {
  const { value, problems } = validate(`${EXAMPLE_ALERT_RULES}extra: 1\n`);
  expect(problems.map(({ severity }) => severity)).toEqual(['warning']);
  expect(value).toEqual(validate(EXAMPLE_ALERT_RULES).value);
});

test('a merge key is refused, because what it stands for would be missing', () =>
  expect(problemsOf(withParts('{ b: { field: text, title: { en: B }, <<: { unit: m } } }')))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:5:50 | YAML 1.2 has no merge key (<<). Write the members themselves instead.",
      ]
    `));

test('values of any kind where objects belong are reported once', () => {
  for (const value of ['5', 'x', 'null', '[]', '[5]']) {
    expect(problemsOf(withParts(`{ b: ${value} }`))).toHaveLength(1);
    expect(problemsOf(withParts(value))).toHaveLength(1);
    expect(problemsOf(`schema: 1.1\ncriterias: { a: ${value} }`)).toHaveLength(1);
    expect(problemsOf(`schema: 1.1\ncriterias: ${value}`)).toHaveLength(1);
  }
});

test('texts are by language, and English is required', () => {
  expect(
    problemsOf(
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
  expect(problemsOf('schema: 1.1\ncriterias:\n  a: { displayName: { en: 1, pt-BR: x }, parts: {} }'))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:27 /criterias/a/displayName/en | criterias.a.displayName.en must be a string; it is 1.",
      ]
    `);
});
