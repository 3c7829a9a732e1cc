import { validateAlertRules } from './alert-rules/validate-alert-rules.ts';
import { validateDescriptor } from './descriptor/validate-descriptor.ts';
import type { ClosedEntry, EntryProof, OpenedEntry } from './archive/archive.ts';
import { openEntry } from './archive/open-entry.ts';
import { validateImage } from './images/validate-image.ts';
import type { Problem } from './problem.ts';
import { validateRoles } from './roles/roles-entities.ts';
import { mediaTypeOf } from './layout/media-types.ts';
import { activeContentProblems } from './documents/active-content.ts';
import { namedTypeProblems, signedType } from './documents/named-type.ts';

/** Errors and warnings of one file, each: the rest is neither kept nor counted. */
const MAX_PROBLEMS = 1_000;

/** The result with the first problems only; an error is never left out for a warning. */
function bounded<Result extends { readonly problems: readonly Problem[] }>(result: Result): Result {
  if (result.problems.length <= MAX_PROBLEMS) return result;
  const errors = result.problems.filter(({ severity }) => severity === 'error');
  const warnings = result.problems.filter(({ severity }) => severity === 'warning');
  return { ...result, problems: [...errors.slice(0, MAX_PROBLEMS), ...warnings.slice(0, MAX_PROBLEMS)] };
}

/** What reading a file has found, or why it cannot be opened. */
export type FileReading<Result> =
  { readonly result: Result; readonly proof: EntryProof } | { readonly problem: Problem };

/** Validates a file that was opened. */
export function reading<Result>(
  opened: OpenedEntry | Problem,
  validate: (content: Buffer) => Result,
): FileReading<Result> {
  if ('code' in opened) return { problem: opened };
  return { result: validate(opened.content), proof: opened.proof };
}

/** A rule that opens its file first. */
function opening<Input extends readonly unknown[], Result>(
  validate: (content: Buffer, ...input: Input) => Result,
) {
  return (closed: ClosedEntry, ...input: Input) =>
    reading(openEntry(closed), (content) => validate(content, ...input));
}

/** The validation of each kind of file that is parsed, without knowledge of the other files. */
export const FILE_RULES = {
  descriptor: opening((...input: Parameters<typeof validateDescriptor>) =>
    bounded(validateDescriptor(...input)),
  ),
  roles: opening((content, path: string) => bounded(validateRoles(path, content))),
  alertRules: opening((content, path: string) => bounded(validateAlertRules(path, content))),
  image: opening(validateImage),
  document: opening(validateDocument),
} as const;

type Rules = typeof FILE_RULES;

/** The same validations where they may take time, such as in a thread. */
export type FileRules = {
  readonly [Kind in keyof Rules]: (
    ...input: Parameters<Rules[Kind]>
  ) => ReturnType<Rules[Kind]> | Promise<ReturnType<Rules[Kind]>>;
};

/** Warnings about a file with terms or about privacy, which may be of any type. */
function validateDocument(content: Buffer, entry: string): Problem[] {
  const type = signedType(content);
  return [
    ...namedTypeProblems(entry, type),
    ...activeContentProblems(entry, content, type ?? mediaTypeOf(entry)),
  ];
}
