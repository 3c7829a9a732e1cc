import { expect, test } from 'vitest';
import { BROKEN_YAML } from '../../support/broken-texts.ts';
import { EXAMPLE_ALERT_RULES } from '../../support/package-builder.ts';
import { validate, problemsOf, withParts } from './validated-alert-rules.ts';

test('keys are unique', () => {
  expect(problemsOf(`${EXAMPLE_ALERT_RULES}schema: 1.1\n`)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:12:1 /schema | The key "schema" is duplicated. Remove one of the two.",
    ]
  `);
  expect(validate(`${EXAMPLE_ALERT_RULES}schema: 1.1\n`).value).toBeNull();
});

test.each(BROKEN_YAML)('%s is not YAML', (_name, text) => {
  const problems = problemsOf(text);
  expect(problems).toMatchSnapshot();
  expect(problems[0]).toMatch(/^✗ alert-rules-not-yaml /);
});

test.each([
  ['# only a comment\n', 'The file has no content. Write the rules into it, or remove the file.'],
  ['---\n', 'The file has no content. Write the rules into it, or remove the file.'],
  ['%YAML 1.2\n---\n...\n', 'The file has no content. Write the rules into it, or remove the file.'],
  ['~', 'The file must be an object; it is null.'],
  ['rules', 'The file must be an object; it is "rules".'],
  ['1.1', 'The file must be an object; it is 1.1.'],
  [']', 'The text is not YAML 1.2 as it is read here: Unexpected flow-seq-end token in YAML document: "]".'],
  ['%YAML 1.2\n', 'The text is not YAML 1.2 as it is read here: Missing directives-end indicator line.'],
])('a file that contains only %j is refused with its cause', (text, detail) =>
  expect(validate(text).problems.map((each) => each.detail)).toEqual([detail]),
);

test('core tags, a directive of 1.2, a byte order mark and a document end are read', () => {
  const tagged =
    '!!map\nschema: !!float 1.1\ncriterias: !<tag:yaml.org,2002:map> { a: { displayName: { en: !!str 5 }, parts: {} } }\n';
  expect(problemsOf(tagged)).toEqual([]);
  expect(problemsOf(`\uFEFF%YAML 1.2\n---\n${EXAMPLE_ALERT_RULES}...\n`)).toEqual([]);
  expect(problemsOf(withParts('{ b: { field: ! text, title: { en: B } } }'))).toEqual([]);
});

test.each([
  ['""', null],
  ['"5x"', null],
  ['" 5 "', null],
  ['0b11', null],
  ['0x10', null],
  ['', null],
  ['5', []],
  ['1.0', []],
  ['-5.5e1', []],
  ['.inf', ['criterias.a.parts.b.min must be a number; it is Infinity.']],
])('a value tagged !!float must be a decimal number: %s', (text, details) => {
  const parts = `{ b: { field: number, title: { en: B }, min: !!float ${text} } }`;
  const misfit =
    'The text is not YAML 1.2 as it is read here: The tag is not known here or does not fit the value. Remove it.';
  expect(validate(withParts(parts)).problems.map((each) => each.detail)).toEqual(details ?? [misfit]);
});

test('an alias refers to the latest anchor of its name', () => {
  const { value: alertRules, problems } = validate(
    'schema: 1.1\ncriterias:\n  a: { displayName: &t { en: A }, parts: {} }\n  b: { displayName: &t { en: B }, description: *t, parts: {} }\n' +
      '  &k c: { displayName: { en: *k }, parts: { ? d } }\n'.replace(', parts: { ? d }', ', parts: {}'),
  );
  expect(problems).toEqual([]);
  expect(alertRules?.criterias['b']?.description).toEqual({ en: 'B' });
  expect(alertRules?.criterias['c']?.displayName).toEqual({ en: 'c' });
});

test('an anchor is set where it occurs, not where an alias repeats it', () => {
  const { value: alertRules, problems } = validate(
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
    problemsOf(
      `a: &a ${open.repeat(anchored)}1${close.repeat(anchored)}\n` +
        `b: ${open.repeat(around)}*a${close.repeat(around)}`,
    )[0]?.split(' ')[1];
  expect(nested(30, 32)).toBe('alert-rules-property-unknown');
  expect(nested(30, 33)).toBe('alert-rules-not-yaml');
  expect(nested(33, 30)).toBe('alert-rules-not-yaml');
});

test('only the first of several issues is reported, and briefly', () => {
  const [tag, ...more] = problemsOf('a: !mine 1\nb: [1');
  expect(tag).toContain('rules.yaml:1:4 ');
  expect(more).toEqual([]);
  for (const text of [`a: !${'x'.repeat(1000)} 1`, `a: |${'x'.repeat(1000)}`]) {
    const [long] = problemsOf(text);
    expect(long).not.toContain('x'.repeat(201));
  }
  expect(problemsOf('a: |1.5')[0]).toMatch(/: \|1\.5\.$/);
  expect(problemsOf('a: !mine 1')[0]).not.toContain('..');
});

test('a problem behind an alias has the position of the anchor, its key that of the alias', () =>
  expect(
    problemsOf(
      'schema: 1.1\ncriterias:\n  a: { displayName: &t { en: 1 }, parts: {} }\n  b: { displayName: *t, parts: {} }',
    ),
  ).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:30 /criterias/a/displayName/en | criterias.a.displayName.en must be a string; it is 1.",
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:30 /criterias/b/displayName/en | criterias.b.displayName.en must be a string; it is 1.",
    ]
  `));

test('a key without a value is null', () =>
  expect(problemsOf('schema: 1.1\ncriterias:\n  ? a\n')).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-invalid AlertRuleDefinitionFile/rules.yaml:3:5 /criterias/a | criterias.a must be an object; it is null.",
    ]
  `));

test('aliases expand to at most 10,000 values', () => {
  // Each level contains the previous one ten times: "billion laughs".
  const levels = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    levels.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  expect(problemsOf(levels.join('\n'))).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:1:28 | The aliases expand to more than 10000 values. Write the values themselves.",
    ]
  `);
  const aliases = (count: number) =>
    problemsOf(`a: &a 1\nb: [${Array.from({ length: count }, () => '*a').join(',')}]`);
  expect(aliases(10_000)[0]).toContain('alert-rules-property-unknown');
  expect(aliases(10_001)[0]).toContain('alert-rules-not-yaml');
});

test.each([
  ['flow sequences', '['],
  ['flow maps', '{a: '],
  ['block sequences', '- '],
  ['explicit keys', '? '],
])('%s nest at most 64 deep, however long the text', (_name, open) => {
  const [first] = problemsOf(open.repeat(Math.floor(1_000_000 / open.length)));
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
    return problemsOf(`${opened.join('')}${indent}1${close.repeat(depth)}`)[0];
  };
  expect(nested(64)).toMatch(/^(?:✗ alert-rules-invalid|! alert-rules-property-unknown) /);
  expect(nested(65)).toContain('The text is nested more than 64 levels deep.');
});

test('the place where a text nests too deep is counted in its own characters', () => {
  const text = `${'- a b: c\n'.repeat(100)}- ${'['.repeat(65)}\n`;
  expect(problemsOf(text)[0]).toMatch(/rules\.yaml:101:67 \| The text is nested more than 64/);
});

test('a text has at most 100,000 tokens', () => {
  expect(problemsOf(`[${'0,'.repeat(500_000)}0]`)).toMatchInlineSnapshot(`
    [
      "✗ alert-rules-not-yaml AlertRuleDefinitionFile/rules.yaml:1:66668 | The text has more than 100000 tokens.",
    ]
  `);
  expect(problemsOf('a:\n'.repeat(300_000))[0]).toContain('more than 100000 tokens');
});
