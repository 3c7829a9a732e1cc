import { Help } from 'commander';
import type { Problem } from '../package/problem.ts';
import { showableText } from '../package/text/showable-text.ts';
import type { ValidatedPath } from './validate-path.ts';
import type { Style } from './output.ts';
import { excerptOf, linesOf } from './source-excerpt.ts';

interface TextStyle {
  readonly style: Style;
  /** Columns of the terminal. */
  readonly width: number;
}

const INDENT = '  ';
/** Breaks lines between words, as in the help. */
const WRAPPING = Object.assign(new Help(), { minWidthToWrap: 1 });

/** The report for people: each problem, and whether the package is rejected. */
export async function textReport(validated: ValidatedPath, text: TextStyle): Promise<string> {
  const blocks = await problemBlocks(validated, text);
  return `${blocks === '' ? '' : `${blocks}\n\n`}${summary(validated, text.style)}\n`;
}

/** The problems by file: each problem with its location, the line of the file and a caret. */
export async function problemBlocks(validated: ValidatedPath, text: TextStyle): Promise<string> {
  const { errors, warnings } = validated.lists;
  const problems = [...errors, ...warnings];
  const lines = await linesOfEntries(validated, problems);
  const fileOf = (problem: Problem) => fileOfProblem(validated, problem);
  // Files in the order of their first problem.
  const blocks = [...new Set(problems.map(fileOf))].map((file) => {
    const inFile = problems.filter((problem) => fileOf(problem) === file);
    const heading = text.style('bold', showableText(file));
    const described = inFile.map((problem) =>
      describe(validated, problem, lines.get(problem.entry ?? ''), text),
    );
    return [`${heading}  ${text.style('dim', tally(inFile))}`, ...described].join('\n\n');
  });
  return blocks.join('\n\n');
}

/** The file of a problem for a person: in the folder, or inside the ZIP. */
function fileOfProblem({ kind, path, fileOf }: ValidatedPath, { entry }: Problem): string {
  if (entry === undefined) return path;
  return kind === 'folder' ? fileOf(entry) : `${path}!/${entry}`;
}

/** The location of a problem in the form `file:line:column`, which editors open; safe to print. */
function locationOfProblem(validated: ValidatedPath, problem: Problem): string {
  const { line, column, offset } = problem;
  const position = line === undefined ? '' : `:${line}:${column ?? 1}`;
  const byte = validated.kind === 'zip' && offset !== undefined ? ` (byte ${offset})` : '';
  return showableText(fileOfProblem(validated, problem)) + position + byte;
}

/** `3 errors`, `1 warning`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function linesOfEntries(
  { readEntries }: ValidatedPath,
  problems: readonly Problem[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const located = problems.flatMap(({ entry, line }) =>
    entry === undefined || line === undefined ? [] : [entry],
  );
  const contents = await readEntries(new Set(located));
  return new Map([...contents].map(([entry, content]) => [entry, linesOf(content)]));
}

function tally(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return counts(errors, problems.length - errors);
}

function counts(errors: number, warnings: number): string {
  const parts = [countOf(errors, 'error'), countOf(warnings, 'warning')];
  return parts.filter((part) => !part.startsWith('0 ')).join(', ');
}

function describe(
  validated: ValidatedPath,
  problem: Problem,
  lines: readonly string[] | undefined,
  text: TextStyle,
): string {
  const { style } = text;
  const { code, detail, severity } = problem;
  const mark = severity === 'error' ? style(['bold', 'red'], 'error') : style(['bold', 'yellow'], 'warning');
  const described = [
    `${INDENT}${mark} ${style('cyan', code)}  ${style('dim', locationOfProblem(validated, problem))}`,
    WRAPPING.boxWrap(showableText(detail), text.width - INDENT.length).replace(/^/gm, INDENT),
  ];
  const line = problem.line === undefined ? undefined : lines?.[problem.line - 1];
  if (line === undefined || problem.line === undefined) return described.join('\n');
  return [...described, ...excerptLines(line, problem.line, problem.column ?? 1, text, severity)].join('\n');
}

function excerptLines(
  line: string,
  number: number,
  column: number,
  { style, width }: TextStyle,
  severity: Problem['severity'],
): string[] {
  const gutter = `${number}`;
  const excerpt = excerptOf(line, column, width - INDENT.length * 2 - gutter.length - 3);
  const colour = severity === 'error' ? 'red' : 'yellow';
  const bar = style('dim', '│');
  const caret = `${' '.repeat(excerpt.caretColumns)}${style(['bold', colour], '^')}`;
  return [
    `${INDENT}${INDENT}${style('dim', gutter)} ${bar} ${excerpt.text}`,
    `${INDENT}${INDENT}${' '.repeat(gutter.length)} ${bar} ${caret}`,
  ];
}

function summary({ path, lists }: ValidatedPath, style: Style): string {
  const { errors, warnings, errorsTotal, unlistedErrors } = lists;
  const name = showableText(path);
  const some = counts(errorsTotal, warnings.length);
  const more = unlistedErrors.map(({ code, count }) => `${count} more of ${code}`).join(', ');
  const rest = more === '' ? '' : ` Only the first ${errors.length} are shown; there are ${more}.`;
  if (errorsTotal > 0) return `${style(['bold', 'red'], '✗')} ${name} is rejected: ${some}.${rest}`;
  const but = warnings.length > 0 ? `, with ${some}` : '';
  return `${style(['bold', 'green'], '✓')} ${name} passes${but}.`;
}
