import { expect, test } from 'vitest';
import { FoundProblems, compareProblems, listProblems, problem } from '../../../shared/package/problem.ts';

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
