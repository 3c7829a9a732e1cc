import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { startDemonstrationApp } from '../../support/demonstration-app.ts';
import { approveLogin } from '../../support/login.ts';
import { buildModulectl } from '../../support/run-modulectl.ts';
import type { TestApp } from '../../support/test-app.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const execute = promisify(execFile);
let app: TestApp;
let page: string;

beforeAll(async () => {
  buildModulectl();
  page = await readFile(path.join(ROOT, 'docs/vendors.md'), 'utf8');
  app = await startDemonstrationApp();
});

afterAll(() => app.stop());

/** The commands of the first console block below a heading, for the test's server and organization. */
function commandsUnder(heading: string): string[] {
  const [, below = ''] = page.split(`\n## ${heading}\n`);
  const [, block = ''] = /^```console\n(.*?)^```$/ms.exec(below) ?? [];
  return block
    .replaceAll('https://modules.example.com', app.url)
    .replaceAll('ORGANIZATION', DEMONSTRATION.vendor.id)
    .split('\n')
    .flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
}

/** An empty folder on a machine with only Node: nothing of the repository can be found, and npm has no registry. */
async function emptyMachine(): Promise<{ cwd: string; env: NodeJS.ProcessEnv }> {
  const home = path.join(inject('scratch'), `machine-${randomUUID()}`);
  const cwd = path.join(home, 'work');
  await mkdir(cwd, { recursive: true });
  const prefix = path.join(home, 'prefix');
  const PATH = [path.join(prefix, 'bin'), path.dirname(process.execPath), process.env['PATH']].join(':');
  const npm = {
    npm_config_cache: path.join(home, 'cache'),
    npm_config_prefix: prefix,
    npm_config_offline: 'true',
  };
  return { cwd, env: { PATH, HOME: home, ...npm } };
}

/** Runs commands in one shell, and approves the sign-in that one of them starts. */
async function runCommands(commands: readonly string[], machine: Awaited<ReturnType<typeof emptyMachine>>) {
  const shell = spawn('bash', ['-e', '-c', commands.join('\n')], machine);
  const output = { stdout: '', stderr: '' };
  let isApproved = false;
  shell.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
  shell.stderr.on('data', (bytes: Buffer) => {
    output.stderr += bytes.toString();
    const [address] = /http:\S+user_code=\S+(?=\n)/.exec(output.stderr) ?? [];
    if (address === undefined || isApproved) return;
    isApproved = true;
    approveLogin(address, 'vendor-admin').catch((error: unknown) => (output.stderr += String(error)));
  });
  const exitCode = await new Promise((resolve) => shell.on('close', resolve));
  return { exitCode, ...output };
}

test('from an empty folder and a tarball, a second version is imported in at most seven commands', async () => {
  const machine = await emptyMachine();
  await execute('npm', ['pack', path.join(ROOT, 'dist/cli'), '--pack-destination', machine.cwd], machine);
  const commands = commandsUnder('From an empty folder to a second version');
  expect(commands.length).toBeLessThanOrEqual(7);
  const { exitCode, stdout, stderr } = await runCommands(commands, machine);
  expect(exitCode, stderr).toBe(0);
  const [, moduleId = ''] = /✓ created module ([0-9a-f-]{36})\n {2}revision {2}1\n/.exec(stdout) ?? [];
  expect(stdout).toContain(`✓ updated module ${moduleId}\n  revision  2\n`);
  const file = await app.fetch(
    `/api/v8.0/${DEMONSTRATION.vendor.id}/modules/${moduleId}/files/PackageArtifact/build/index.html`,
    { headers: { Authorization: `Bearer ${await vendorToken(machine.env)}` } },
  );
  expect(file.text).toBe('<p>Second version</p>\n');
});

/** The token that the sign-in stored. */
async function vendorToken({ HOME = '' }: NodeJS.ProcessEnv): Promise<string> {
  const text = await readFile(path.join(HOME, '.config/modulectl/sign-ins.json'), 'utf8');
  const signIns = JSON.parse(text) as Record<string, { accessToken: string }>;
  return signIns[app.url]?.accessToken ?? '';
}

test('the file that the server ships runs as the page says', async () => {
  const { exitCode, stdout, stderr } = await runCommands(commandsUnder('Install it'), await emptyMachine());
  expect([exitCode, stdout], stderr).toEqual([0, `${packageJson.version}\n`]);
});
