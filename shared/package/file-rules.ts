import { validateAlertRules } from './alert-rules/validate-alert-rules.ts';
import { validateDescriptor } from './descriptor/validate-descriptor.ts';
import { activeContentProblems } from './documents/active-content.ts';
import { validateImage } from './images/validate-image.ts';
import type { Problem } from './problem.ts';
import { validateRoles } from './roles/validate-roles.ts';

/** Errors and warnings of one file, each: the rest is neither kept nor counted. */
const MAX_PROBLEMS = 1_000;

/** The result with the first problems only; an error is never left out for a warning. */
function bounded<Result extends { readonly problems: readonly Problem[] }>(result: Result): Result {
  if (result.problems.length <= MAX_PROBLEMS) return result;
  const errors = result.problems.filter(({ severity }) => severity === 'error');
  const warnings = result.problems.filter(({ severity }) => severity === 'warning');
  return { ...result, problems: [...errors.slice(0, MAX_PROBLEMS), ...warnings.slice(0, MAX_PROBLEMS)] };
}

/** The validation of each kind of file that is parsed, without knowledge of the other files. */
export const FILE_RULES = {
  descriptor: (...input: Parameters<typeof validateDescriptor>) => bounded(validateDescriptor(...input)),
  roles: (...input: Parameters<typeof validateRoles>) => bounded(validateRoles(...input)),
  alertRules: (...input: Parameters<typeof validateAlertRules>) => bounded(validateAlertRules(...input)),
  image: validateImage,
  document: activeContentProblems,
} as const;

type Rules = typeof FILE_RULES;

/** The same validations where they may take time, such as in a thread. */
export type FileRules = {
  readonly [Kind in keyof Rules]: (
    ...input: Parameters<Rules[Kind]>
  ) => ReturnType<Rules[Kind]> | Promise<ReturnType<Rules[Kind]>>;
};
