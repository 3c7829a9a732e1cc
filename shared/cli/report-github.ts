import type { Problem } from '../package/problem.ts';
import { showableText } from '../package/text/showable-text.ts';
import type { JudgedPath } from './validate-path.ts';

/** What ends a workflow command, and the escape character itself, as the runner's own toolkit escapes them. */
function escapeMessage(text: string): string {
  return showableText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function annotation(judged: JudgedPath, { code, detail, severity, entry, line, column }: Problem): string {
  const isFolder = judged.kind === 'folder';
  // A line is one of the annotated file: what lies in a ZIP has its place in the message.
  const properties = {
    file: isFolder && entry !== undefined ? judged.fileOf(entry) : judged.path,
    ...(isFolder && line !== undefined && { line: `${line}`, col: `${column ?? 1}` }),
    title: code,
  };
  const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
  const inside = line === undefined ? (entry ?? '') : `${entry ?? ''}:${line}:${column ?? 1}`;
  const message = isFolder || entry === undefined ? detail : `${inside}: ${detail}`;
  return `::${severity} ${listed.join(',')}::${escapeMessage(message)}`;
}

/** The report as annotations of a GitHub workflow, a line each; nothing where there is no problem. */
export function githubReport(judged: JudgedPath): string {
  const { errors, warnings } = judged.lists;
  return [...errors, ...warnings].map((problem) => `${annotation(judged, problem)}\n`).join('');
}
