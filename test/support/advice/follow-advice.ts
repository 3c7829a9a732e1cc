import type { PackageProblemCode } from '../../../shared/package/problem-codes.ts';
import type { Problem } from '../../../shared/package/problem.ts';
import { checkEntries, type PackageEntries } from '../package-builder.ts';
import { PACKAGE_ADVICE } from './package-advice.ts';

/** More rounds than any package of the tests needs. */
const MAX_ROUNDS = 60;

async function problemsOf(entries: PackageEntries): Promise<readonly Problem[]> {
  return (await checkEntries(entries, { requiredFolders: ['ModuleToS'] })).problems;
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
    const follow = PACKAGE_ADVICE[next.code];
    if (follow === undefined) throw new Error(`nobody follows ${next.code}: ${next.detail}`);
    entries = follow(entries, next);
  }
  throw new Error(`following the messages leads nowhere: ${followed.slice(-3).join('\n')}`);
}
