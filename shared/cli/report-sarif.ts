import path from 'node:path';
import { compareText } from '../package/text/compare-text.ts';
import { meaningOf } from '../package/problem-codes.ts';
import type { Problem } from '../package/problem.ts';
import type { ValidatedPath } from './validate-path.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** A path as a relative URI reference: a colon in the first segment would be a scheme. */
function uriOf(file: string): string {
  const segments = file.split(path.sep).join('/').split('/').map(encodeURIComponent);
  const text = segments.join('/');
  return path.isAbsolute(file) ? `file://${text.startsWith('/') ? '' : '/'}${text}` : text;
}

/** The entry that a problem is about; empty: the package itself. A byte offset is a position in the ZIP, not in the entry. */
function entryOf({ kind }: ValidatedPath, { entry = '', line, offset }: Problem): string {
  return kind === 'zip' && line === undefined && offset !== undefined ? '' : entry;
}

/** A file with problems; an entry of a ZIP is nested in the archive, which is the first (SARIF 3.24.3). */
function artifactOf({ kind, path: file, fileOf }: ValidatedPath, entry: string) {
  if (entry === '') return { location: { uri: uriOf(file) } };
  if (kind === 'folder') return { location: { uri: uriOf(fileOf(entry)) } };
  return { location: { uri: `/${entry.split('/').map(encodeURIComponent).join('/')}` }, parentIndex: 0 };
}

function regionOf({ kind }: ValidatedPath, { line, column, offset }: Problem): object {
  if (line !== undefined) return { region: { startLine: line, startColumn: column ?? 1 } };
  // An offset is a position in the archive, which a folder does not have.
  return offset !== undefined && kind === 'zip' ? { region: { byteOffset: offset } } : {};
}

function resultOf(
  validated: ValidatedPath,
  problem: Problem,
  entries: readonly string[],
  codes: readonly string[],
): object {
  const { code, detail, severity, pointer } = problem;
  const entry = entryOf(validated, problem);
  const artifactLocation = { ...artifactOf(validated, entry).location, index: entries.indexOf(entry) };
  const names = [entry === '' ? problem.entry : undefined, pointer].filter((name) => name);
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: detail },
    locations: [
      {
        physicalLocation: { artifactLocation, ...regionOf(validated, problem) },
        ...(names.length > 0 && {
          logicalLocations: names.map((fullyQualifiedName) => ({ fullyQualifiedName })),
        }),
      },
    ],
  };
}

function ruleOf(code: Problem['code']): object {
  const { title, explanation, remedy, severity } = meaningOf(code);
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: explanation },
    help: { text: remedy },
    defaultConfiguration: { level: severity },
  };
}

/** The report as a SARIF 2.1.0 log, for tools that read static analysis results. */
export function sarifLog(validated: ValidatedPath): object {
  const { errors, warnings, errorsTotal, unlistedErrors } = validated.lists;
  const problems = [...errors, ...warnings];
  const codes = [...new Set(problems.map(({ code }) => code))].toSorted(compareText);
  const ofProblems = problems.map((problem) => entryOf(validated, problem));
  const entries = [...new Set(validated.kind === 'zip' ? ['', ...ofProblems] : ofProblems)];
  const run = {
    tool: { driver: { name: 'modulectl', rules: codes.map(ruleOf) } },
    invocations: [{ executionSuccessful: true }],
    columnKind: 'utf16CodeUnits',
    artifacts: entries.map((entry) => artifactOf(validated, entry)),
    results: problems.map((problem) => resultOf(validated, problem, entries, codes)),
    properties: { errorsTotal, unlistedErrors },
  };
  return { $schema: SCHEMA, version: '2.1.0', runs: [run] };
}
