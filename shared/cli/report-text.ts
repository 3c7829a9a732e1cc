import type { Problem } from '../package/problem.ts';
import { showableText } from '../package/text/showable-text.ts';
import type { JudgedPath } from './validate-path.ts';
import type { Style } from './output.ts';
import { countOf, fileOfProblem, placeOfProblem } from './problem-location.ts';
import { excerptOf, linesOf } from './source-excerpt.ts';

interface TextStyle {
  readonly style: Style;
  /** Columns of the terminal. */
  readonly width: number;
}

const INDENT = '  ';

/** The report for people: what is wrong, and whether that rejects the package. */
export async function textReport(judged: JudgedPath, text: TextStyle): Promise<string> {
  const blocks = await problemBlocks(judged, text);
  return `${blocks === '' ? '' : `${blocks}\n\n`}${summary(judged, text.style)}\n`;
}

/** What is wrong, by file: each problem with its place, the line of the file and a caret. */
export async function problemBlocks(judged: JudgedPath, text: TextStyle): Promise<string> {
  const { errors, warnings } = judged.lists;
  const problems = [...errors, ...warnings];
  const lines = await linesOfEntries(judged, problems);
  const groups = byFile(judged, problems);
  const blocks = [...groups].map(([file, inFile]) => {
    const heading = text.style('bold', showableText(file));
    const told = inFile.map((problem) => tell(judged, problem, lines.get(problem.entry ?? ''), text));
    return [`${heading}  ${text.style('dim', tally(inFile))}`, ...told].join('\n\n');
  });
  return blocks.join('\n\n');
}

/** Files in the order of their first problem. */
function byFile(judged: JudgedPath, problems: readonly Problem[]): ReadonlyMap<string, Problem[]> {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const file = fileOfProblem(judged, problem);
    const group = groups.get(file);
    if (group === undefined) groups.set(file, [problem]);
    else group.push(problem);
  }
  return groups;
}

async function linesOfEntries(
  { readEntries }: JudgedPath,
  problems: readonly Problem[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const placed = problems.flatMap(({ entry, line }) =>
    entry === undefined || line === undefined ? [] : [entry],
  );
  const contents = await readEntries(new Set(placed));
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

function tell(
  judged: JudgedPath,
  problem: Problem,
  lines: readonly string[] | undefined,
  text: TextStyle,
): string {
  const { style } = text;
  const { code, detail, severity } = problem;
  const mark = severity === 'error' ? style(['bold', 'red'], 'error') : style(['bold', 'yellow'], 'warning');
  const at = judged.kind === 'zip' && problem.offset !== undefined ? ` (byte ${problem.offset})` : '';
  const told = [
    `${INDENT}${mark} ${style('cyan', code)}  ${style('dim', placeOfProblem(judged, problem) + at)}`,
    ...wrap(showableText(detail), text.width - INDENT.length).map((line) => INDENT + line),
  ];
  const line = problem.line === undefined ? undefined : lines?.[problem.line - 1];
  if (line === undefined || problem.line === undefined) return told.join('\n');
  return [...told, ...excerptLines(line, problem.line, problem.column ?? 1, text, severity)].join('\n');
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

/** Lines of `width` columns at most, broken between words; a longer word stays whole. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function summary({ path, lists }: JudgedPath, style: Style): string {
  const { errors, warnings, errorsTotal } = lists;
  const name = showableText(path);
  const some = counts(errorsTotal, warnings.length);
  const untold = errorsTotal - errors.length;
  const rest = untold > 0 ? ` The first ${countOf(errors.length, 'error')} are told, ${untold} are not.` : '';
  if (errorsTotal > 0) return `${style(['bold', 'red'], '✗')} ${name} is rejected: ${some}.${rest}`;
  const but = warnings.length > 0 ? `, with ${some}` : '';
  return `${style(['bold', 'green'], '✓')} ${name} passes${but}.`;
}
