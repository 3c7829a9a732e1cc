import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, inject, test } from 'vitest';
import { replacePlaceholders } from '../../support/replace-placeholders.ts';
import { runHere } from '../../support/run-modulectl.ts';

let scratch: string;

const run = (...args: string[]) => runHere(args, { scratch, cwd: scratch });

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(scratch, 'soil', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** The files of a repository whose root is a module: sources, tools, and a build that Git ignores. */
const REPOSITORY = {
  '.git/HEAD': 'ref: refs/heads/main',
  '.gitignore': 'PackageArtifact/\nnode_modules/\n',
  '.github/workflows/import.yml': 'on: push',
  'README.md': '# Soil',
  'package.json': '{}',
  'src/index.ts': 'export {};',
  'node_modules/vite/index.js': 'export {};',
  'PackageArtifact/build/app.js': 'export {};',
  'PackageArtifact/build/.env': 'KEY=1',
};

// A module in a new folder, and the package that it gives alone.
beforeEach(async () => {
  scratch = path.join(inject('scratch'), `repository-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  await run('init', 'soil');
  await replacePlaceholders(path.join(scratch, 'soil'));
});

test("a repository gives the same package as the module's parts alone, those that .gitignore names too, and what is left out is listed with the reason", async () => {
  await write({ 'PackageArtifact/build/app.js': 'export {};' });
  const alone = await run('pack', 'soil', '-o', 'alone.zip');
  expect([alone.exitCode, alone.stderr]).toEqual([0, '']);
  await write(REPOSITORY);
  await mkdir(path.join(scratch, 'soil/.data'));
  await mkdir(path.join(scratch, 'soil/node_modules/.bin'));
  await symlink('../vite/index.js', path.join(scratch, 'soil/node_modules/.bin/vite'));
  await symlink('src/index.ts', path.join(scratch, 'soil/latest.ts'));
  const leftOut = [
    'Left out (the name starts with a dot): .data/, .git/, .github/, .gitignore, PackageArtifact/build/.env',
    'Left out (not a part of a package): README.md, latest.ts, package.json, src/',
    'Left out (installed packages): node_modules/',
  ];
  for (const args of [
    ['check', 'soil'],
    ['pack', 'soil', '-o', 'soil/.data/soil.zip'],
    ['pack', 'soil', '--list'],
  ]) {
    const { exitCode, stderr } = await run(...args);
    expect([exitCode, stderr.trim().split('\n').toSorted()]).toEqual([0, leftOut.toSorted()]);
  }
  const zips = ['alone.zip', 'soil/.data/soil.zip'].map((name) => readFile(path.join(scratch, name)));
  const [one, other] = await Promise.all(zips);
  expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
});

test('pack --list outputs the files of the package, and writes nothing', async () => {
  await write(REPOSITORY);
  const { exitCode, stdout } = await run('pack', 'soil', '--list');
  expect([exitCode, stdout.split('\n')]).toEqual([
    0,
    [
      'AlertRuleDefinitionFile/alert-rules.yaml',
      'ModuleImage/overview.svg',
      'ModuleLogo/logo.svg',
      'ModulePrivacy/privacy-en.md',
      'ModuleSpecificRolesEntitiesDefinition/roles-entities.json',
      'ModuleToS/terms-en.md',
      'PackageArtifact/build/app.js',
      'PackageArtifact/build/index.html',
      'moduleSchema.json',
      '',
    ],
  ]);
  await expect(readFile(path.join(scratch, 'soil.zip'))).rejects.toThrow('ENOENT');
});

test('.moduleignore names what is left out of a part, and what is packed although its name starts with a dot', async () => {
  await write({
    '.moduleignore': '*.map\n!PackageArtifact/build/.well-known/\n',
    'PackageArtifact/build/app.js.map': '{}',
    'PackageArtifact/build/assets/style.css.map': '{}',
    'PackageArtifact/build/.well-known/app.json': '{}',
  });
  const { stdout, stderr } = await run('pack', 'soil', '--list');
  expect(stdout).toContain('PackageArtifact/build/.well-known/app.json\n');
  expect(stdout).not.toContain('.map');
  expect(stderr).toContain('Left out (named in .moduleignore): PackageArtifact/ (2)\n');
});

test('a misspelt part is an error that names the part, and is not left out', async () => {
  await write({ 'ModuleImages/a.txt': 'x' });
  const { exitCode, stdout, stderr } = await run('check', 'soil', '--json');
  expect([exitCode, stderr]).toEqual([1, '']);
  const detail = expect.stringContaining('If it is meant to be ModuleImage,') as unknown;
  expect(JSON.parse(stdout)).toMatchObject({ errors: [{ code: 'layout-entry-unexpected', detail }] });
});

test('a build folder inside the repository is packed, and is not listed as left out', async () => {
  await rename(path.join(scratch, 'soil/PackageArtifact/build'), path.join(scratch, 'soil/dist'));
  await rename(path.join(scratch, 'soil/PackageArtifact'), path.join(scratch, 'soil/src'));
  await write({ 'src/index.ts': 'export {};' });
  const { exitCode, stdout, stderr } = await run('pack', 'soil', '--artifact', 'soil/dist', '--list');
  expect([exitCode, stderr]).toEqual([0, 'Left out (not a part of a package): src/\n']);
  expect(stdout).toContain('PackageArtifact/build/index.html\n');
});

test('a link in a part is refused by name, and so is a part that is a link', async () => {
  await write({ 'src/index.html': 'x' });
  await symlink('../src', path.join(scratch, 'soil/ModuleToS/link'));
  await rename(path.join(scratch, 'soil/ModuleLogo'), path.join(scratch, 'soil/logos'));
  await symlink('logos', path.join(scratch, 'soil/ModuleLogo'));
  const { exitCode, stderr } = await run('pack', 'soil', '--list');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('"ModuleToS/link" is a symbolic link. Replace it with a copy of its target.\n');
  expect(stderr).toContain('"ModuleLogo" is a symbolic link. Replace it with a copy of its target.\n');
});

test('a repository whose module is in a folder is refused with that folder', async () => {
  for (const command of ['check', 'pack']) {
    const { exitCode, stdout, stderr } = await run(command, '.');
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      'modulectl: . has no moduleSchema.json, and soil/ has one. Name that folder instead.\n',
    ]);
  }
});
