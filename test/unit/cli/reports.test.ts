import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { ValidatedPath } from '../../../shared/cli/validate-path.ts';
import { githubReport } from '../../../shared/cli/report-github.ts';
import { sarifLog } from '../../../shared/cli/report-sarif.ts';
import { textReport } from '../../../shared/cli/report-text.ts';
import { excerptOf } from '../../../shared/cli/source-excerpt.ts';
import { listProblems, problem, type Problem } from '../../../shared/package/problem.ts';

const HOSTILE = 'a\x1b[2J\u202eb\r\n::warning::c%0A,:d\x9b1m';

/** A validated package with these texts as files. */
function validated(
  kind: ValidatedPath['kind'],
  problems: readonly Problem[],
  files: Readonly<Record<string, string>> = {},
): ValidatedPath {
  return {
    lists: listProblems(problems, 100),
    kind,
    path: kind === 'zip' ? 'dist/module.zip' : 'module',
    fileOf: (entry) => (kind === 'zip' ? entry : `module/${entry}`),
    readEntries: (entries) =>
      Promise.resolve(
        new Map(
          [...entries].flatMap((entry) => (entry in files ? [[entry, Buffer.from(files[entry] ?? '')]] : [])),
        ),
      ),
    leftOut: [],
  };
}

const PROBLEMS = [
  problem('archive-ambiguous', 'Bytes that no entry owns.', { offset: 12 }),
  problem('archive-entry-corrupt', 'It is cut off.', { entry: 'ModuleToS/a b#.pdf', offset: 40 }),
  problem('descriptor-invalid', HOSTILE, { entry: HOSTILE, pointer: `/${HOSTILE}`, line: 2, column: 3 }),
  problem('descriptor-property-unknown', 'Unknown.', {
    entry: 'moduleSchema.json',
    pointer: '',
    line: 1,
    column: 1,
  }),
  problem('layout-folder-missing', 'Missing.', { entry: 'ModuleToS/' }),
];

describe.each(['zip', 'folder'] as const)('of a %s', (kind) => {
  test('the SARIF log is valid against the official schema of 2.1.0', () => {
    const file = path.resolve(import.meta.dirname, '../../fixtures/sarif/sarif-schema-2.1.0.json');
    // This validator does not support draft-04; of the keywords that later drafts changed, the schema uses only `id`.
    const { id, $schema, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect([id, $schema]).toEqual([
      'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
      'http://json-schema.org/draft-04/schema#',
    ]);
    const isUri = (text: string) => URL.canParse(text);
    const isReference = (text: string) => URL.canParse(text, 'file:///') && !/[\s\\"<>^`{|}]/.test(text);
    const ajv = new Ajv({ strict: false, allErrors: true });
    ajv.addFormat('uri', isUri).addFormat('uri-reference', isReference).addFormat('date-time', true);
    const isSarif = ajv.compile(schema);
    for (const problems of [PROBLEMS, []]) {
      isSarif(JSON.parse(JSON.stringify(sarifLog(validated(kind, problems)))));
      expect(isSarif.errors).toBeNull();
    }
    expect(isSarif({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false);
  });

  test('every result of the SARIF log names its rule and its file by index', () => {
    const { runs } = JSON.parse(JSON.stringify(sarifLog(validated(kind, PROBLEMS))));
    const [{ tool, results, artifacts }] = runs;
    expect(results).toHaveLength(PROBLEMS.length);
    for (const { ruleId, ruleIndex, level, locations } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
      expect(tool.driver.rules[ruleIndex].defaultConfiguration.level).toBe(level);
      const { uri, index } = locations[0].physicalLocation.artifactLocation;
      expect(artifacts[index].location.uri).toBe(uri);
    }
  });

  test('neither text nor annotations contain a character that a terminal or a parser interprets', async () => {
    const report = validated(kind, PROBLEMS, { [HOSTILE]: `{\n  \x1b]0;x\x07\u2066"${HOSTILE}"` });
    const text = await textReport(report, { style: (_colour, each) => each, width: 80 });
    for (const each of [text, githubReport(report)]) {
      expect(each.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(each).toContain('\\u{202e}');
    }
  });

  test('an annotation is one line, and its content starts no other annotation or property', () => {
    const lines = githubReport(validated(kind, PROBLEMS)).trimEnd().split('\n');
    expect(lines).toHaveLength(PROBLEMS.length);
    for (const line of lines) {
      const [, level, properties = ''] = /^::(error|warning) (.*?)::/.exec(line) ?? [];
      expect(level).toBeDefined();
      for (const each of properties.split(',')) expect(each).toMatch(/^(?:file|line|col|title)=[^:,]+$/);
    }
  });
});

test('annotations of a folder point to the line of the file, those of a ZIP name it in the message', () => {
  const [, , , unknown] = PROBLEMS;
  const problems = unknown === undefined ? [] : [unknown];
  expect(githubReport(validated('folder', problems))).toBe(
    '::warning file=module/moduleSchema.json,line=1,col=1,title=descriptor-property-unknown::Unknown.\n',
  );
  expect(githubReport(validated('zip', problems))).toBe(
    '::warning file=dist/module.zip,title=descriptor-property-unknown::moduleSchema.json:1:1: Unknown.\n',
  );
});

test('the text report groups by file, with the line and a caret', async () => {
  const at = { entry: 'moduleSchema.json', line: 2, column: 10 };
  const problems = [
    problem('descriptor-invalid', 'name must be text.', { ...at, pointer: '/name' }),
    problem('layout-entry-unexpected', '"a" does not belong in a package.', { entry: 'a' }),
  ];
  const report = validated('folder', problems, { 'moduleSchema.json': '{\r\n  "n":\t\t5\r\n}' });
  expect(await textReport(report, { style: (_colour, each) => each, width: 60 })).toMatchInlineSnapshot(`
    "module/a  1 error

      error layout-entry-unexpected  module/a
      "a" does not belong in a package.

    module/moduleSchema.json  1 error

      error descriptor-invalid  module/moduleSchema.json:2:10
      name must be text.
        2 │   "n":    5
          │            ^

    ✗ module is rejected: 2 errors.
    "
  `);
});

test('the number of problems beyond the cap is reported', async () => {
  const many = Array.from({ length: 120 }, (_, index) =>
    problem('layout-entry-unexpected', 'No.', { entry: `${index}` }),
  );
  const text = await textReport(validated('folder', many), { style: (_colour, each) => each, width: 80 });
  expect(text).toContain(
    'module is rejected: 120 errors. Only the first 100 are shown; there are 20 more of layout-entry-unexpected.',
  );
});

test.each([
  ['a short line', '  "a": 5', 8],
  ['a long line', `${'x'.repeat(500)}^${'y'.repeat(500)}`, 501],
  ['a line of wide characters', `${'農'.repeat(100)}^${'業'.repeat(100)}`, 101],
  ['a megabyte in one line', `${'x'.repeat(1_000_000)}^`, 1_000_001],
  ['the end of a line', 'abc', 4],
])('the excerpt of %s fits, and its caret is under the position', (_title, line, column) => {
  const { text, caretColumns } = excerptOf(line, column, 60);
  expect(stringWidth(text)).toBeLessThanOrEqual(61);
  let columns = 0;
  let under = '';
  for (const character of text) {
    if (columns === caretColumns) under = character;
    columns += stringWidth(character);
  }
  expect(under).toBe(line.charAt(column - 1));
});
