import type { Problem } from '../package/problem.ts';
import { showableText } from '../package/text/showable-text.ts';
import type { ValidatedPath } from './validate-path.ts';

/** Escapes line breaks and the escape character as the runner's own toolkit does. */
function escapeMessage(text: string): string {
  return showableText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function annotation(
  validated: ValidatedPath,
  { code, detail, severity, entry, line, column }: Problem,
): string {
  const isFolder = validated.kind === 'folder';
  // A line belongs to the annotated file: the location inside a ZIP is in the message.
  const properties = {
    file: isFolder && entry !== undefined ? validated.fileOf(entry) : validated.path,
    ...(isFolder && line !== undefined && { line: `${line}`, col: `${column ?? 1}` }),
    title: code,
  };
  const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
  const inside = line === undefined ? (entry ?? '') : `${entry ?? ''}:${line}:${column ?? 1}`;
  const message = isFolder || entry === undefined ? detail : `${inside}: ${detail}`;
  return `::${severity} ${listed.join(',')}::${escapeMessage(message)}`;
}

/** The report as annotations of a GitHub workflow, one per line; empty if there is no problem. */
export function githubReport(validated: ValidatedPath): string {
  const { errors, warnings } = validated.lists;
  return [...errors, ...warnings].map((problem) => `${annotation(validated, problem)}\n`).join('');
}
