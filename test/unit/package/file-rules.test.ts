import { expect, test } from 'vitest';
import { type FileToValidate, validateOpened } from '../../../shared/package/file-rules.ts';
import type { Severity } from '../../../shared/package/problem.ts';

/** How many errors and warnings a file of this content has. */
function countsOf(kind: 'roles' | 'alertRules', content: string): Readonly<Record<Severity, number>> {
  const proof = { sha256: '', dataOffset: 0, packedCrc32: 0 };
  const file: FileToValidate = { kind };
  const reading = validateOpened({ content: Buffer.from(content), proof }, 'a', file);
  const problems = 'findings' in reading ? reading.findings.problems : [reading.problem];
  const count = (severity: Severity) => problems.filter((each) => each.severity === severity).length;
  return { error: count('error'), warning: count('warning') };
}

test.each([
  [999, 999],
  [1_000, 1_000],
  [1_001, 1_000],
  [1_500, 1_000],
])('of %i errors of a file %i are kept', (found, kept) => {
  const role = { name: 'A', baseRoles: [], permissions: {} };
  const roles = Array.from({ length: found + 1 }, () => role);
  expect(countsOf('roles', JSON.stringify({ roles }))).toEqual({ error: kept, warning: 0 });
});

test('no error of a file is left out for its warnings', () => {
  const unknown = Array.from({ length: 1_100 }, (_, index) => `x${index}: 1\n`).join('');
  expect(countsOf('alertRules', unknown)).toEqual({ error: 2, warning: 1_000 });
});
