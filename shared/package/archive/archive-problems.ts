import type { PackageProblemCode } from '../problem-codes.ts';
import { problem, type Problem, type ProblemLocation } from '../problem.ts';

/** A problem of an archive that no ordinary tool writes. */
export function misbuilt(code: PackageProblemCode, detail: string, location: ProblemLocation): Problem {
  return problem(code, `${detail} Build the ZIP again with an ordinary tool.`, location);
}

/** The problem of an archive that can be read in two ways. */
export function ambiguous(detail: string, offset: number): Problem {
  return misbuilt('archive-ambiguous', detail, { offset });
}

/** The problem of an archive that cannot be read; the detail says what to do. */
export function unreadable(detail: string, offset: number): Problem {
  return problem('archive-unreadable', detail, { offset });
}
