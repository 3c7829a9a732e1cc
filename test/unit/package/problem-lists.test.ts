import { expect, test } from 'vitest';
import {
  FoundProblems,
  compareProblems,
  listProblems,
  problem,
  type ProblemLocation,
} from '../../../shared/package/problem.ts';
import { checkEntries, examplePackage, RULES_PATH } from '../../support/package-builder.ts';

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

test('of many problems the first are listed and all are counted', () => {
  const problems = [
    problem('roles-invalid', 'b', { entry: 'b' }),
    problem('layout-litter-skipped', 'd', { entry: 'd' }),
    problem('roles-invalid', 'a', { entry: 'a' }),
    problem('layout-litter-skipped', 'c', { entry: 'c' }),
    problem('roles-invalid', 'c', { entry: 'c' }),
  ];
  const { errors, warnings, errorsTotal, unlistedErrors } = listProblems(problems, 2);
  expect(errors.map(({ detail }) => detail)).toEqual(['a', 'b']);
  expect(warnings.map(({ detail }) => detail)).toEqual(['c', 'd']);
  expect(errorsTotal).toBe(3);
  expect(unlistedErrors).toEqual([{ code: 'roles-invalid', count: 1 }]);
  expect(listProblems(problems, 1).warnings).toHaveLength(1);
});

test('errors that are not listed are counted by code, in the order of the codes, with those that were omitted before', () => {
  const found = (
    ['roles-invalid', 'layout-file-type', 'descriptor-invalid', 'layout-file-type'] as const
  ).map((code, index) => problem(code, 'x', { entry: `${index}` }));
  const omitted = new Map([
    ['roles-invalid', 2],
    ['archive-entry-corrupt', 5],
  ] as const);
  const { errors, errorsTotal, unlistedErrors } = listProblems(found, 1, omitted);
  expect(errors).toHaveLength(1);
  expect(errorsTotal).toBe(11);
  expect(unlistedErrors).toEqual([
    { code: 'archive-entry-corrupt', count: 5 },
    { code: 'descriptor-invalid', count: 1 },
    { code: 'layout-file-type', count: 2 },
    { code: 'roles-invalid', count: 2 },
  ]);
});

test('a listed problem has its members in a fixed order, and omits unknown ones', () => {
  const location = { offset: 0, column: 3, line: 2, pointer: '', entry: 'a' };
  const membersOf = (located: ProblemLocation) => {
    const { errors, warnings } = listProblems(
      [problem('roles-invalid', 'x', located), problem('layout-litter-skipped', 'x', located)],
      1,
    );
    return [...errors, ...warnings].map((each) => Object.entries(each).slice(3));
  };
  const ordered = Object.entries(location).toReversed();
  expect(membersOf(location)).toEqual([ordered, ordered]);
  expect(membersOf({})).toEqual([[], []]);
  for (const [name, value] of ordered) {
    const alone = [[name, value]];
    expect(membersOf({ [name]: value })).toEqual([alone, alone]);
  }
});

test('of problems in any order those are kept that a list of all would begin with', () => {
  const all = Array.from({ length: 1_000 }, (_, index) => {
    const code = index % 3 === 0 ? 'layout-litter-skipped' : 'roles-invalid';
    return problem(code, 'x', { entry: String((index * 7_919) % 1_000).padStart(3, '0') });
  });
  for (const most of [0, 1, 7, 100, 1_000]) {
    for (const order of [all, all.toSorted(compareProblems), all.toSorted(compareProblems).toReversed()]) {
      const found = new FoundProblems(most);
      found.addAll(order);
      expect(listProblems(found.problems, most, found.omittedErrors)).toEqual(listProblems(all, most));
      expect(found.problems.length).toBeGreaterThan(0);
      expect(found.problems.length).toBeLessThanOrEqual(4 * Math.max(1, most));
    }
  }
});

test('the texts of a problem have at most 4,000 characters, and no half of a pair at the cut', () => {
  const long = 'x'.repeat(3_999);
  const located = (end: string) =>
    problem('roles-invalid', long + end, { entry: long + end, pointer: long + end });
  expect(located('y')).toMatchObject({ detail: `${long}y`, entry: `${long}y`, pointer: `${long}y` });
  expect(located('yz')).toMatchObject({ detail: `${long}y…`, entry: `${long}y…`, pointer: `${long}y…` });
  expect(located('😀')).toMatchObject({ detail: `${long}…`, entry: `${long}…`, pointer: `${long}…` });
});

test.each([
  ['a YAML error that repeats a long text', { [RULES_PATH]: `schema: |x${'😀'.repeat(100)}\n` }],
  ['a long name of an entry', { [`${'x'.repeat(1_023)}${'😀'.repeat(10)}`]: '' }],
  ['a duplicate key with NUL', { 'moduleSchema.json': String.raw`{"\u0000":1,"\u0000":2}` }],
  ['a duplicate key with half a pair', { 'moduleSchema.json': String.raw`{"\ud800":1,"\ud800":2}` }],
])('a database can store the problems of %s', async (_name, entries) => {
  const { problems } = await checkEntries(examplePackage(entries));
  const texts = problems.flatMap(({ detail, entry = '', pointer = '' }) => [detail, entry, pointer]);
  expect(problems.filter(({ severity }) => severity === 'error')).not.toEqual([]);
  expect(texts.filter((text) => !text.isWellFormed() || text.includes('\0'))).toEqual([]);
});
