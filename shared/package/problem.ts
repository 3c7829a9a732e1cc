import { compareText } from './text/compare-text.ts';
import { type OperatorCode, type PackageProblemCode, PACKAGE_PROBLEMS } from './problem-codes.ts';
import { storableText } from './text/quote-value.ts';

/** An error keeps a package out, a warning does not. */
export type Severity = 'error' | 'warning';

/** The code of a problem: of the package rules, or of the operator's own check. */
export type ProblemCode = PackageProblemCode | OperatorCode;

/** One thing wrong with a package, and where, as answers have it. */
export interface Problem {
  readonly code: ProblemCode;
  /** One or two sentences for the vendor: what is wrong, and what to do. */
  readonly detail: string;
  readonly severity: Severity;
  /** Path of the entry in the archive. */
  readonly entry?: string;
  /** JSON Pointer (RFC 6901) inside that entry. */
  readonly pointer?: string;
  /** 1-based, where the entry is text. */
  readonly line?: number;
  /** 1-based, in UTF-16 code units. */
  readonly column?: number;
  /** Byte offset in the archive. */
  readonly offset?: number;
}

/** Where a problem is. */
export type ProblemLocation = Pick<Problem, 'entry' | 'pointer' | 'line' | 'column' | 'offset'>;

/** A problem with its members in the order in which every report writes them: a `jsonb` column keeps none. */
export function orderedProblem({
  code,
  detail,
  severity,
  entry,
  pointer,
  line,
  column,
  offset,
}: Problem): Problem {
  return {
    code,
    detail,
    severity,
    ...(entry !== undefined && { entry }),
    ...(pointer !== undefined && { pointer }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(offset !== undefined && { offset }),
  };
}

/** Problems in the order of `compareProblems`, cut at the cap. */
export interface ProblemLists {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** The errors that were found, listed or not: at most 1,000 of each file. */
  readonly errorsTotal: number;
  /** The errors that are not listed, by code. */
  readonly unlistedErrors: readonly CodeCount[];
}

/** How many problems have a code. */
export interface CodeCount {
  readonly code: ProblemCode;
  readonly count: number;
}

/** The numbers of problems by their codes. */
export type CodeCounts = ReadonlyMap<ProblemCode, number>;

function addCodes(counts: Map<ProblemCode, number>, problems: readonly Problem[]): void {
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1);
}

/** More than any rule writes on its own: a detail with the names of two entries, or with a path in a file. */
const MAX_TEXT_LENGTH = 4_000;

/** A text of a problem as reports keep it. An XML parser repeats a name, even one that is as long as the file. */
function reportedText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return storableText(text);
  // A cut within a pair of surrogates leaves its first half.
  const cut = text.slice(0, MAX_TEXT_LENGTH).replace(/\p{Surrogate}$/u, '');
  return `${storableText(cut)}…`;
}

/** A problem of the given code; its severity is the code's. Its texts can be stored, and are not long. */
export function problem(
  code: PackageProblemCode,
  detail: string,
  { entry, pointer, ...position }: ProblemLocation = {},
): Problem {
  return {
    code,
    detail: reportedText(detail),
    severity: PACKAGE_PROBLEMS[code].severity,
    ...(entry !== undefined && { entry: reportedText(entry) }),
    ...(pointer !== undefined && { pointer: reportedText(pointer) }),
    ...position,
  };
}

/**
 * First the causes of other problems: a descriptor that is not in the root, then a folder that does not belong there.
 * 1 for `archive-…`, 3 for `registry-…`, 2 for everything between.
 */
function stageOf({ code, entry }: Problem): number {
  if (code === 'layout-wrapped-in-folder' || code === 'layout-descriptor-missing') return -1;
  if (code === 'layout-entry-unexpected' && entry?.endsWith('/') === true) return 0;
  if (code.startsWith('archive-')) return 1;
  return code.startsWith('registry-') ? 3 : 2;
}

/** First the value, then the byte, then the text. */
function comparePositions(a: Problem, b: Problem): number {
  const bytes = (a.offset ?? -1) - (b.offset ?? -1);
  return bytes || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/** The order in which problems are listed: causes, stage, entry, pointer, offset; then location in the text and code. */
export function compareProblems(a: Problem, b: Problem): number {
  return (
    stageOf(a) - stageOf(b) ||
    compareText(a.entry ?? '', b.entry ?? '') ||
    compareText(a.pointer ?? '', b.pointer ?? '') ||
    comparePositions(a, b) ||
    compareText(a.code, b.code) ||
    compareText(a.detail, b.detail)
  );
}

/** Keeps the first problems of those that are added, by `compareProblems`, and counts the others by code. */
class FirstProblems {
  readonly #most: number;
  #kept: Problem[] = [];
  /** No later problem than this one can be among the first. */
  #bound: Problem | undefined;
  readonly omitted = new Map<ProblemCode, number>();

  constructor(most: number) {
    // One is always kept, so that none means that there is none.
    this.#most = Math.max(1, most);
  }

  get kept(): readonly Problem[] {
    return this.#kept;
  }

  add(found: Problem): void {
    if (this.#bound !== undefined && compareProblems(found, this.#bound) >= 0) {
      addCodes(this.omitted, [found]);
      return;
    }
    this.#kept.push(found);
    if (this.#kept.length <= 2 * this.#most) return;
    this.#kept.sort(compareProblems);
    addCodes(this.omitted, this.#kept.splice(this.#most));
    this.#bound = this.#kept.at(-1);
  }
}

/** The problems of a package while they are found: of 50,000 only those are kept that can be listed. */
export class FoundProblems {
  readonly #errors: FirstProblems;
  readonly #warnings: FirstProblems;

  /** At least the first `most` errors and warnings are kept, each. */
  constructor(most: number) {
    this.#errors = new FirstProblems(most);
    this.#warnings = new FirstProblems(most);
  }

  /** Those that are kept, in no particular order. */
  get problems(): readonly Problem[] {
    return [...this.#errors.kept, ...this.#warnings.kept];
  }

  /** The errors that are not kept. */
  get omittedErrors(): CodeCounts {
    return this.#errors.omitted;
  }

  add(found: Problem): void {
    if (found.severity === 'error') this.#errors.add(found);
    else this.#warnings.add(found);
  }

  addAll(all: Iterable<Problem>): void {
    for (const each of all) this.add(each);
  }
}

/**
 * Sorts problems, parts errors from warnings, and cuts each list at `maxReported`. Errors that have been omitted
 * already are counted.
 */
export function listProblems(
  problems: readonly Problem[],
  maxReported: number,
  omittedErrors: CodeCounts = new Map(),
): ProblemLists {
  const ordered = problems.toSorted(compareProblems);
  const errors = ordered.filter((each) => each.severity === 'error');
  const warnings = ordered.filter((each) => each.severity === 'warning');
  const unlisted = new Map(omittedErrors);
  addCodes(unlisted, errors.slice(maxReported));
  const unlistedErrors = [...unlisted]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => compareText(a.code, b.code));
  return {
    errors: errors.slice(0, maxReported).map(orderedProblem),
    warnings: warnings.slice(0, maxReported).map(orderedProblem),
    errorsTotal: errors.length + [...omittedErrors.values()].reduce((sum, count) => sum + count, 0),
    unlistedErrors,
  };
}
