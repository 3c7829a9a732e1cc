import { compareText } from '../package/text/compare-text.ts';
import { PACKAGE_PROBLEMS } from '../package/problem-codes.ts';
import type { Problem } from '../package/problem.ts';
import type { JudgedPath } from './validate-path.ts';
import path from 'node:path';

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

/** The files that problems are in; of a ZIP the archive first, and its entries as nested artifacts (SARIF 3.24.3). */
class Artifacts {
  readonly list: Artifact[] = [];
  readonly #judged: JudgedPath;
  readonly #indexes = new Map<string, number>();

  constructor(judged: JudgedPath) {
    this.#judged = judged;
    if (judged.kind === 'zip') this.#add('', { location: { uri: uriOf(judged.path) } });
  }

  /** The location of an entry, or of the package where there is none. */
  locate(entry = ''): { uri: string; index: number } {
    const index = this.#indexes.get(entry) ?? this.#add(entry, this.#artifactOf(entry));
    return { uri: this.list[index]?.location.uri ?? '', index };
  }

  #artifactOf(entry: string): Artifact {
    if (this.#judged.kind === 'folder') {
      const file = entry === '' ? this.#judged.path : this.#judged.fileOf(entry);
      return { location: { uri: uriOf(file) } };
    }
    return { location: { uri: `/${entry.split('/').map(encodeURIComponent).join('/')}` }, parentIndex: 0 };
  }

  #add(entry: string, artifact: Artifact): number {
    const index = this.list.push(artifact) - 1;
    this.#indexes.set(entry, index);
    return index;
  }
}

function regionOf({ kind }: JudgedPath, { line, column, offset }: Problem): object {
  if (line !== undefined) return { region: { startLine: line, startColumn: column ?? 1 } };
  // An offset is one of the archive, which of a folder there is none.
  return offset !== undefined && kind === 'zip' ? { region: { byteOffset: offset } } : {};
}

function resultOf(
  judged: JudgedPath,
  problem: Problem,
  artifacts: Artifacts,
  codes: readonly string[],
): object {
  const { code, detail, severity, entry, line, pointer } = problem;
  // A byte offset is one of the ZIP itself, whatever entry it belongs to.
  const inArchive = judged.kind === 'zip' && line === undefined && problem.offset !== undefined;
  const artifactLocation = artifacts.locate(inArchive ? undefined : entry);
  const names = [inArchive ? entry : undefined, pointer].filter((name) => name !== undefined && name !== '');
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: detail },
    locations: [
      {
        physicalLocation: { artifactLocation, ...regionOf(judged, problem) },
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

/** The report as a SARIF 2.1.0 log, for what reads results of static analysis. */
export function sarifReport(judged: JudgedPath): string {
  const { errors, warnings, errorsTotal } = judged.lists;
  const problems = [...errors, ...warnings];
  const codes = [...new Set(problems.map(({ code }) => code))].toSorted(compareText);
  const artifacts = new Artifacts(judged);
  const results = problems.map((problem) => resultOf(judged, problem, artifacts, codes));
  const run = {
    tool: { driver: { name: 'modulectl', rules: codes.map(ruleOf) } },
    invocations: [{ executionSuccessful: true }],
    columnKind: 'utf16CodeUnits',
    artifacts: artifacts.list,
    results,
    properties: { errorsTotal },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}
