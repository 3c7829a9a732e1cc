import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { loginAs } from '../../support/login.ts';
import { runShell } from '../../support/run-shell.ts';
import { sharedStack } from '../../support/shared-stack.ts';
import { spawnModulectl } from '../../support/run-modulectl.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const scratch = path.join(inject('scratch'), `vendors-${randomUUID()}`);
const dataDir = path.join(scratch, 'data');
let page: string;

beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  page = await readFile(path.join(ROOT, 'docs/vendors.md'), 'utf8');
});

const local = sharedStack(dataDir);

/** The page's scripts, in its order: five commands, the walk from import to alert, the export. */
function scripts(): string[] {
  return [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
}

test('a new vendor gets from an empty folder to an imported module in five commands', async () => {
  const [block = ''] = scripts();
  expect(block.trim().split('\n')).toHaveLength(5);
  const folder = path.join(scratch, 'five');
  const script = block
    .replaceAll('http://127.0.0.1:8080', local.stack.url)
    .replaceAll('soil-moisture', folder);
  const stdout = await runShell(script, { HOME: scratch, DATA_DIR: dataDir });
  expect(stdout).toMatch(/✓ created module [0-9a-f-]{36}\n {2}revision {2}1\n {2}import {4}[0-9a-f-]{36}\n$/);
});

test('the commands that need a server do what the page says, in its order', async () => {
  const online = page.slice(page.indexOf('## Sign in'));
  const commands = [...online.matchAll(/^\$ npx modulectl (.+)$/gm)].map(([, line = '']) => line);
  const known: Record<string, string> = {
    'http://127.0.0.1:8080': local.stack.url,
    ORGANIZATION: local.stack.organizationId,
  };
  // Everything after the sign-in uses what that has stored.
  const run = (line: string) => {
    const [name = '', ...args] = line.split(' ').map((each) => known[each] ?? each);
    return name === 'login'
      ? loginAs('vendor-admin', args, { scratch })
      : spawnModulectl([name, ...args], { scratch });
  };
  await run('init soil-moisture');
  const answers: Record<string, string> = {};
  for (const line of commands) {
    const { exitCode, stdout, stderr } = await run(line);
    expect([line, exitCode, stderr.includes('modulectl:')]).toEqual([line, 0, false]);
    expect(stdout + stderr).not.toContain(local.stack.token);
    answers[line] = stdout;
    const imported = /module ([0-9a-f-]{36})\n {2}revision {2}\d+\n {2}import {4}([0-9a-f-]{36})/.exec(
      stdout,
    );
    if (imported !== null) [, known['MODULE'] = '', known['IMPORT'] = ''] = imported;
    if (line === 'keys create MODULE') known['CLIENT'] = /\(([0-9a-f-]{36})\)/.exec(stderr)?.[1] ?? '';
  }
  expect(answers['imports list']).toContain(known['IMPORT']);
  expect(answers['imports show IMPORT']).toContain(known['MODULE']);
  expect(answers['export MODULE']).toMatch(/\.zip\n {2}size {5}\d+ bytes\n {2}sha-256 {2}[0-9a-f]{64}\n$/);
  expect(answers['keys create MODULE']).toMatch(/^mmk_\w{49}\n$/);
  expect(answers['keys list MODULE']).toContain(known['CLIENT']);
  expect(answers['keys rotate MODULE CLIENT --overlap 3600']).toMatch(/^mmk_\w{49}\n$/);
  expect(answers['catalogue dataAreas']).toMatch(/^[0-9a-f-]{36} {2}FarmOrganization /m);
  expect(answers['modules show MODULE']).toContain(known['MODULE']);
  expect(commands).toHaveLength(14);
});

test('the calls from import to alert work as printed, in seven curl lines and two for the export', async () => {
  const script = scripts()
    .slice(1)
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', local.stack.url)
    .replaceAll('.data/', `${dataDir}/`)
    .replaceAll(/^curl .*$/gm, '$& && echo');
  expect(script.match(/\bcurl /g)).toHaveLength(9);
  const stdout = await runShell(script, { DATA_DIR: dataDir });
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
  expect(answers).toMatchObject([
    { created: 1, updated: 0, unchanged: 0 },
    { consentPending: false },
    { organizations: [{ organizationName: 'North Farm', farms: [{ name: 'Home farm' }] }] },
    { results: [{ outcome: 'created' }] },
    { outcome: 'unchanged', revision: 1, warnings: [] },
  ]);
});
