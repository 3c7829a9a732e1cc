import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bufferSource } from '../../../shared/package/archive/source.ts';
import { validatePackage } from '../../../shared/package/validate-package.ts';
import { findProgram } from '../../support/find-program.ts';
import { examplePackage, testSettings } from '../../support/package-builder.ts';
import { ZIP_TOOLS, type ZipTool } from '../../support/zip-tools.ts';

const GO_PROGRAM = `package main

import (
	"archive/zip"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	file, err := os.Create(os.Args[2])
	check(err)
	archive := zip.NewWriter(file)
	check(archive.AddFS(os.DirFS(os.Args[1])))
	check(archive.Close())
	check(file.Close())
}
`;

/** The example, with names that are not ASCII: only such names show how a tool marks them. */
const FILES = examplePackage({
  'PackageArtifact/build/Übersicht/größe-é.txt': 'x',
  'PackageArtifact/build/условия.txt': 'x',
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'zip-tools-'));
  for (const [name, content = ''] of Object.entries(FILES)) {
    const file = path.join(folder, 'module', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await writeFile(path.join(folder, 'main.go'), GO_PROGRAM);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The archive that the tool makes of the example. */
async function archiveOf({ tool, command }: ZipTool): Promise<Buffer> {
  const module = path.join(folder, 'module');
  const archive = path.join(folder, 'package.zip');
  await rm(archive, { force: true });
  const run = tool === 'Go' ? `go run ../main.go ${module} ${archive}` : command;
  const env = { ...process.env, LC_ALL: 'C.UTF-8', GO111MODULE: 'off' };
  execFileSync('sh', ['-ec', run], { cwd: module, env, stdio: ['ignore', 'ignore', 'inherit'] });
  return readFile(archive);
}

const installed = ZIP_TOOLS.filter(
  ({ programs }) => programs.length > 0 && programs.every((each) => findProgram(each) !== null),
);

test('the tools of Debian are installed where no part may be left out', () => {
  const needed = new Set(ZIP_TOOLS.flatMap(({ programs }) => programs));
  const missing = [...needed].filter((each) => findProgram(each) === null);
  if (process.env['REQUIRE_ALL_PARTS'] === '1') expect(missing).toEqual([]);
});

describe('a package has the result that docs/package.md names, when made by', () =>
  test.each(installed.map((each) => [each.tool, each] as const))('%s', async (_name, tool) => {
    const report = await validatePackage(bufferSource(await archiveOf(tool)), testSettings());
    const codes = new Set(report.problems.map(({ code }) => code));
    expect([...codes]).toEqual(tool.result === null ? [] : [tool.result]);
    if (tool.result !== null) return;
    const paths = Object.keys(FILES).filter((each) => each !== 'moduleSchema.json');
    expect(report.content?.files.map((each) => each.path)).toEqual(paths.toSorted());
  }));
