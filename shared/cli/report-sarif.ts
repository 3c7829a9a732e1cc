import path from 'node:path';
import { compareText } from '../package/text/compare-text.ts';
import { PACKAGE_PROBLEMS } from '../package/problem-codes.ts';
import type { Problem } from '../package/problem.ts';
import type { ValidatedPath } from './validate-path.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** A path as a relative URI reference: a colon in the first segment would be a scheme. */
function uriOf(file: string): string {
  const segments = file.split(path.sep).join('/').split('/').map(encodeURIComponent);
  const text = segments.join('/');
  return path.isAbsolute(file) ? `file://${text.startsWith('/') ? '' : '/'}${text}` : text;
}

interface Artifact {
  readonly location: { readonly uri: string };
  readonly parentIndex?: number;
}

/** The files with problems; for a ZIP first the archive, then its entries as nested artifacts (SARIF 3.24.3). */
class Artifacts {
  readonly list: Artifact[] = [];
  readonly #validated: ValidatedPath;
  readonly #indexes = new Map<string, number>();

  constructor(validated: ValidatedPath) {
    this.#validated = validated;
    if (validated.kind === 'zip') this.locate();
  }

  /** The location of an entry, or of the package without one. */
  locate(entry = ''): { uri: string; index: number } {
    const artifact = this.#artifactOf(entry);
    const index = this.#indexes.get(entry) ?? this.list.push(artifact) - 1;
    this.#indexes.set(entry, index);
    return { uri: artifact.location.uri, index };
  }

  #artifactOf(entry: string): Artifact {
    const { kind, path: file, fileOf } = this.#validated;
    if (entry === '') return { location: { uri: uriOf(file) } };
    if (kind === 'folder') return { location: { uri: uriOf(fileOf(entry)) } };
    return { location: { uri: `/${entry.split('/').map(encodeURIComponent).join('/')}` }, parentIndex: 0 };
  }
}

function regionOf({ kind }: ValidatedPath, { line, column, offset }: Problem): object {
  if (line !== undefined) return { region: { startLine: line, startColumn: column ?? 1 } };
  // An offset is a position in the archive, which a folder does not have.
  return offset !== undefined && kind === 'zip' ? { region: { byteOffset: offset } } : {};
}

function resultOf(
  validated: ValidatedPath,
  problem: Problem,
  artifacts: Artifacts,
  codes: readonly string[],
): object {
  const { code, detail, severity, entry, line, pointer } = problem;
  // A byte offset is a position in the ZIP itself, not in the entry.
  const inArchive = validated.kind === 'zip' && line === undefined && problem.offset !== undefined;
  const artifactLocation = artifacts.locate(inArchive ? undefined : entry);
  const names = [inArchive ? entry : undefined, pointer].filter((name) => name !== undefined && name !== '');
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
  const { title, explanation, remedy, severity } = PACKAGE_PROBLEMS[code];
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
  const { errors, warnings, errorsTotal } = validated.lists;
  const problems = [...errors, ...warnings];
  const codes = [...new Set(problems.map(({ code }) => code))].toSorted(compareText);
  const artifacts = new Artifacts(validated);
  const results = problems.map((problem) => resultOf(validated, problem, artifacts, codes));
  const run = {
    tool: { driver: { name: 'modulectl', rules: codes.map(ruleOf) } },
    invocations: [{ executionSuccessful: true }],
    columnKind: 'utf16CodeUnits',
    artifacts: artifacts.list,
    results,
    properties: { errorsTotal },
  };
  return { $schema: SCHEMA, version: '2.1.0', runs: [run] };
}
