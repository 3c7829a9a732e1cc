import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bufferSource } from '../../../shared/package/archive/source.ts';
import { validatePackage } from '../../../shared/package/validate-package.ts';
import { findProgram } from '../../support/find-program.ts';
import { testSettings } from '../../support/package-builder.ts';
import { zipFacts } from '../../support/zip-facts.ts';
import {
  keptArchive,
  keptVersions,
  TOOL_FILES,
  VERSIONS_FILE,
  ZIP_TOOLS,
  type ZipTool,
} from '../../support/zip-tools.ts';
import { compileForDotnet, DOTNET_FOLDER } from './dotnet.ts';

const DOTNET = `'${DOTNET_FOLDER}/dotnet'`;
const WHEN = new Date('2024-05-06T07:08:10Z');

/** What runs where the command of the table is no shell command. */
const RUNS: Readonly<Record<string, string>> = {
  Go: 'go run ../pack.go . ../package.zip',
  '.NET': `${DOTNET} ../Pack.dll CreateFromDirectory . ../package.zip`,
  'PowerShell 7': `${DOTNET} ../Pack.dll Compress-Archive . ../package.zip`,
};

/** How the first program of a tool prints its version, where not with `--version`. */
const VERSIONS: Readonly<Record<string, string>> = {
  zip: 'zip -v',
  '7zz': '7zz',
  go: 'go version',
  dotnet: `${DOTNET} --list-runtimes`,
};

let folder: string;

function run(command: string, cwd: string): string {
  const env = { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC', GO111MODULE: 'off' };
  return execFileSync('sh', ['-ec', `umask 022; ${command}`], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const find = (program: string) => findProgram(program, program === 'dotnet' ? [DOTNET_FOLDER] : undefined);
const installed = ZIP_TOOLS.filter(
  ({ programs }) => programs.length > 0 && programs.every((each) => find(each) !== null),
);

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'zip-tools-'));
  const module = path.join(folder, 'module');
  for (const [name, content] of Object.entries(TOOL_FILES)) {
    const file = path.join(module, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    await chmod(file, 0o644);
    await utimes(file, WHEN, WHEN);
  }
  await mkdir(path.join(module, 'PackageArtifact/build/empty'));
  run('find . -type d -exec chmod 755 {} + -exec touch -d @1714979290 {} +', module);
  await copyFile(path.join(import.meta.dirname, 'pack.go'), path.join(folder, 'pack.go'));
  if (find('dotnet') !== null && find('mcs') !== null)
    await compileForDotnet(path.join(import.meta.dirname, 'pack.cs'), path.join(folder, 'Pack.dll'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The archive that the tool makes of the example. */
async function archiveOf({ tool, command }: ZipTool): Promise<Buffer> {
  const archive = path.join(folder, 'package.zip');
  await rm(archive, { force: true });
  run(RUNS[tool] ?? command, path.join(folder, 'module'));
  return readFile(archive);
}

async function codesOf(archive: Buffer): Promise<readonly string[]> {
  const report = await validatePackage(bufferSource(archive), testSettings());
  return [...new Set(report.problems.map(({ code }) => code))];
}

/** Keeps the archive for the inner circle, and the tool's version for the table of docs/package.md. */
async function keep({ tool, programs }: ZipTool, archive: Buffer): Promise<void> {
  const [program = ''] = programs;
  const printed = run(VERSIONS[program] ?? `${program} --version`, folder).split(/[^\d.]+/);
  const version = printed.find((each) => /^\d+\.\d/.test(each)) ?? '';
  await writeFile(keptArchive(tool), archive);
  const versions = Object.entries({ ...keptVersions(), [tool]: version });
  const order = ZIP_TOOLS.map((each) => each.tool);
  const sorted = versions.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  await writeFile(VERSIONS_FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** Folders are read in no order. */
function namesAndFlags(archive: Buffer) {
  const facts = zipFacts(archive).map(({ name, flags }) => `${name} ${flags}`);
  return facts.toSorted();
}

test('the tools are installed where no part may be left out: .ci/zip-tools installs them', () => {
  const needed = new Set(ZIP_TOOLS.flatMap(({ programs }) => programs));
  const missing = [...needed].filter((each) => find(each) === null);
  if (process.env['REQUIRE_ALL_PARTS'] === '1') expect(missing).toEqual([]);
});

describe('a package has the result that docs/package.md names, and its kept archive the same names and flags, when made by', () =>
  test.each(installed.map((each) => [each.tool, each] as const))(
    '%s; -u keeps it anew',
    async (_name, tool) => {
      const archive = await archiveOf(tool);
      const codes = tool.result === null ? [] : [tool.result];
      expect(await codesOf(archive)).toEqual(codes);
      if (expect.getState().snapshotState.snapshotUpdateState === 'all') await keep(tool, archive);
      const kept = await readFile(keptArchive(tool.tool));
      expect(namesAndFlags(kept)).toEqual(namesAndFlags(archive));
      expect(await codesOf(kept)).toEqual(codes);
    },
  ));
