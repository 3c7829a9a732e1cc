import type { Pacer } from './archive/pacer.ts';
import type { PackageLimits } from './limits.ts';
import type { FoundProblems } from './problem.ts';

/** The context of the entries' rules: the limits, the problems found so far, and the pace. */
export interface PackageCheck {
  readonly limits: PackageLimits;
  readonly problems: FoundProblems;
  readonly pacer: Pacer;
}
