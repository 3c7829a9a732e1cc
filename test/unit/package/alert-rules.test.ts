import { expect, test } from 'vitest';
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
  const wrong = ['2', '0.9', '"2.0"', '"1."', '1.1.1', 'true', '!!float x'];
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
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:17 /schema | schema must be a number; it is NaN.",
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
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:1:1 (root) | The file must be an object; it is null.",
    ]
  `);
  expect(problemsOf('schema: 1.1\ncriterias: {}')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:2:12 /criterias | criterias must have at least 1 member.",
    ]
  `);
});

test('a criterion has displayName and parts, a part field and title', () => {
  expect(problemsOf('schema: 1.1\ncriterias:\n  a: {}\n  b: { displayName: { en: B }, parts: { c: {} } }'))
    .toMatchInlineSnapshot(`
      [
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:6 /criterias/a/displayName | criterias.a.displayName is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:6 /criterias/a/parts | criterias.a.parts is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:44 /criterias/b/parts/c/field | criterias.b.parts.c.field is missing.",
        "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:4:44 /criterias/b/parts/c/title | criterias.b.parts.c.title is missing.",
      ]
    `);
});

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

test('a merge key is an unknown member like any other', () => {
  expect(problemsOf(withParts('{ b: { field: text, title: { en: B }, <<: { unit: m } } }')))
    .toMatchInlineSnapshot(`
      [
        "! alert-rules-property-unknown AlertRuleDefinitionFile/rules.yaml:5:50 /criterias/a/parts/b/<< | The property "<<" is not known and was ignored.",
      ]
    `);
});

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
