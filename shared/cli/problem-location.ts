import type { Problem } from '../package/problem.ts';
import { showableText } from '../package/text/showable-text.ts';
import type { JudgedPath } from './validate-path.ts';

/** The file that a problem is in, as a person finds it: of the folder, or inside the ZIP. */
export function fileOfProblem(judged: JudgedPath, { entry }: Problem): string {
  if (judged.kind === 'folder') return entry === undefined ? judged.path : judged.fileOf(entry);
  return entry === undefined ? judged.path : `${judged.path}!/${entry}`;
}

/** The same with line and column, in a form that editors open; safe to show. */
export function placeOfProblem(judged: JudgedPath, problem: Problem): string {
  const { line, column } = problem;
  const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
  return showableText(fileOfProblem(judged, problem)) + place;
}

/** `3 errors`, `1 warning`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
