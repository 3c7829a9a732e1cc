import { isOperatorCode, type PackageProblemCode } from '../../../shared/package/problem-codes.ts';
import type { Problem } from '../../../shared/package/problem.ts';
import { checkEntries, type PackageEntries } from '../package-builder.ts';
import { PACKAGE_ADVICE } from './package-advice.ts';

/** More rounds than any package of the tests needs. */
const MAX_ROUNDS = 60;

async function problemsOf(entries: PackageEntries): Promise<readonly Problem[]> {
  return (await checkEntries(entries, { requiredFolders: ['ModuleToS'] })).problems;
}

function follow(entries: PackageEntries, problem: Problem): PackageEntries {
  const { code } = problem;
  const advised = isOperatorCode(code) ? undefined : PACKAGE_ADVICE[code];
  if (advised === undefined) throw new Error(`nobody follows ${problem.code}: ${problem.detail}`);
  return advised(entries, problem);
}

/**
 * Does what the messages say, one problem after the other, until neither an error nor the code is left.
 * @throws Error where a message does not say what to do, or doing it leads nowhere
 */
export async function followAdvice(faulty: PackageEntries, code?: PackageProblemCode): Promise<string[]> {
  let entries = faulty;
  const followed: string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const problems = await problemsOf(entries);
    const next =
      problems.find((each) => each.code === code) ?? problems.find(({ severity }) => severity === 'error');
    if (next === undefined) return followed;
    followed.push(`${next.code}: ${next.detail}`);
    entries = follow(entries, next);
  }
  throw new Error(`following the messages leads nowhere: ${followed.slice(-3).join('\n')}`);
}

/** Whether one of two problems is about what contains the other's value. */
function areNested(one: Problem, other: Problem): boolean {
  const [a, b] = [`${one.pointer}/`, `${other.pointer}/`];
  return one.entry === other.entry && (a.startsWith(b) || b.startsWith(a));
}

/**
 * Does what a whole report says, and so with the reports after it, until no error is left. A problem inside what
 * another one changes waits for the next report.
 * @throws Error where a message does not say what to do, or doing it leads nowhere
 */
export async function followReports(faulty: PackageEntries): Promise<void> {
  let entries = faulty;
  let last: readonly Problem[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const errors = (await problemsOf(entries)).filter(({ severity }) => severity === 'error');
    if (errors.length === 0) return;
    last = errors.filter(
      (each, index) => !errors.slice(0, index).some((earlier) => areNested(earlier, each)),
    );
    // From the end: removing an item of a list moves those after it.
    entries = last.toReversed().reduce(follow, entries);
  }
  throw new Error(`following the messages leads nowhere: ${last.map(({ detail }) => detail).join('\n')}`);
}
