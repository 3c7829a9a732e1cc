import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import packageJson from '../../../shared/cli/package.json' with { type: 'json' };
import { replacePlaceholders } from '../../support/replace-placeholders.ts';
import { buildModulectl } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

const PACKAGE = path.resolve(import.meta.dirname, '../../../dist/cli');
const execute = promisify(execFile);
const scratch = path.join(inject('scratch'), `installed-${randomUUID()}`);
const prefix = path.join(scratch, 'prefix');
/** The folders of the versions of Node to try: `.ci/run` names those that `modulectl` is for. */
const NODES = process.env['MODULECTL_NODES']?.split(':') ?? [path.dirname(process.execPath)];
let app: TestApp;

/** Runs a program of the machine or of the prefix, where nothing of the repository can be found. */
async function run(
  program: string,
  args: readonly string[],
  variables: Record<string, string> = {},
  node = path.dirname(process.execPath),
) {
  const PATH = [path.join(prefix, 'bin'), node, process.env['PATH']].join(':');
  const env = { PATH, HOME: scratch, npm_config_cache: path.join(scratch, 'cache'), ...variables };
  return execute(program, [...args], { cwd: scratch, env });
}

const modulectl = async (args: string, variables?: Record<string, string>, node?: string) =>
  (await run('modulectl', args.split(' '), variables, node)).stdout;

// As `npm pack` and `npm install --global` do, without a registry: the package needs no other package.
beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  buildModulectl();
  app = await startTestApp();
  await run('npm', ['pack', PACKAGE, '--pack-destination', scratch]);
  const tarball = path.join(scratch, `modulectl-${packageJson.version}.tgz`);
  await run('npm', ['install', '--global', '--offline', '--no-audit', '--prefix', prefix, tarball]);
});

afterAll(() => app.stop());

test('the package is one program of at most 700 kB with its licenses, without dependencies', async () => {
  const modules = path.join(prefix, 'lib/node_modules');
  expect(await readdir(modules)).toEqual(['modulectl']);
  const files = (await readdir(path.join(modules, 'modulectl'))).toSorted();
  expect(files).toEqual(['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.md', 'modulectl.mjs', 'package.json']);
  expect((await readFile(path.join(modules, 'modulectl/modulectl.mjs'))).length).toBeLessThan(700_000);
});

test('it prints its version, and the help of a command', async () => {
  expect(await modulectl('--version')).toBe(`${packageJson.version}\n`);
  expect(await modulectl('help check')).toBe(await modulectl('check --help'));
});

test.each(NODES)(
  'with Node of %s it makes, checks and packs a module without a server, and imports it on one',
  async (node) => {
    const version = (await run('node', ['--version'], {}, node)).stdout.trim();
    process.stdout.write(`modulectl on Node ${version}\n`);
    const name = `soil-moisture-${version.replaceAll('.', '-')}`;
    await modulectl(`init ${name}`, {}, node);
    await replacePlaceholders(path.join(scratch, name));
    expect(await modulectl(`check ${name}`, {}, node)).toBe(`✓ ${name} passes.\n`);
    expect(await modulectl(`pack ${name}`, {}, node)).toContain(`${name}.zip\n`);
    const { admin, id } = await app.organization();
    const server = {
      MODULECTL_SERVER: app.url,
      MODULECTL_TOKEN: admin.replace('Bearer ', ''),
      MODULECTL_ORG: id,
    };
    expect(await modulectl(`check ${name}.zip`, server, node)).toBe(`✓ ${name}.zip passes.\n`);
    expect(await modulectl(`import ${name}`, server, node)).toMatch(/^✓ created module /);
  },
);
