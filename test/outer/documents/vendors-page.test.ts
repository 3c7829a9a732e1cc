import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { startCiIssuer } from '../../support/ci-issuer.ts';
import { runCommand } from '../../support/local-stack.ts';
import { loginAs } from '../../support/login.ts';
import { writeOwnCatalogue } from '../../support/own-catalogue.ts';
import { replacePlaceholders } from '../../support/replace-placeholders.ts';
import { runShell } from '../../support/run-shell.ts';
import { sharedStack } from '../../support/shared-stack.ts';
import { spawnModulectl } from '../../support/run-modulectl.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const scratch = path.join(inject('scratch'), `vendors-${randomUUID()}`);
const dataDir = path.join(scratch, 'data');
let page: string;

// As on a platform with its own IDs: with the shipped ones, other tests run these commands.
const catalogueFile = path.join(scratch, 'catalogue.json');
beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  await writeOwnCatalogue(catalogueFile);
  page = await readFile(path.join(ROOT, 'docs/vendors.md'), 'utf8');
});

const local = sharedStack(dataDir, { CATALOGUE_FILE: catalogueFile });

/** The scripts below a heading, for the test's server. */
function scriptsUnder(heading: string): string[] {
  const [, below = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = below.split('\n## ');
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) =>
    text.replaceAll('http://127.0.0.1:8080', local.stack.url).replaceAll('.data/', `${dataDir}/`),
  );
}

/** Runs scripts, and returns what each call printed: its answer, or a value of it. */
async function answersOf(scripts: readonly string[]): Promise<unknown[]> {
  const script = scripts.join('\n').replaceAll(/^(?:curl|install_module) .*$/gm, '$& && echo');
  const stdout = await runShell(script, { DATA_DIR: dataDir });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}

test('a new vendor gets from an empty folder to an imported module in five commands', async () => {
  const [block = ''] = scriptsUnder('From an empty folder to an imported module');
  expect(block.trim().split('\n')).toHaveLength(5);
  const folder = path.join(scratch, 'five');
  const script = block.replaceAll('soil-moisture', folder);
  const stdout = await runShell(script, { HOME: scratch, DATA_DIR: dataDir });
  expect(stdout).toMatch(/✓ created module [0-9a-f-]{36}\n {2}revision {2}1\n {2}import {4}[0-9a-f-]{36}\n/);
});

test('npm start writes the demonstration, and prints lines that import its example without a warning', async () => {
  const pasted = local.stack.output.split('\n').filter((line) => /^(?:TOKEN=|curl )/.test(line));
  const answer = await runShell(pasted.join('\n').replace('\ncurl ', '\ncurl -sS '));
  expect(JSON.parse(answer)).toMatchObject({ status: 'succeeded', warnings: [] });
  const { id } = DEMONSTRATION.meadowFarm;
  const { output: token } = await runCommand(['token', '--org', id], dataDir);
  const headers = { Authorization: `Bearer ${token.trim()}` };
  const alerts = await fetch(`${local.stack.url}/api/v8.0/${id}/alerts`, { headers });
  expect(((await alerts.json()) as { items: unknown[] }).items).toHaveLength(3);
});

test('the commands that need a server do what the page says, in its order', async () => {
  const online = page.slice(page.indexOf('## Sign in'));
  const commands = [...online.matchAll(/^\$ npx modulectl (.+)$/gm)].map(([, line = '']) => line);
  const known: Record<string, string> = {
    'http://127.0.0.1:8080': local.stack.url,
    ORGANIZATION: local.stack.organizationId,
  };
  const installations = await startRepositories();
  // Everything after the sign-in uses what that has stored.
  const run = (line: string) => {
    const own = line.startsWith('publishers add ') ? atInstallations(line, installations) : line;
    const [name = '', ...args] = own.split(' ').map((each) => known[each] ?? each);
    return name === 'login'
      ? loginAs('vendor-admin', args, { scratch })
      : spawnModulectl([name, ...args], { scratch });
  };
  // With the IDs of the server.
  await run('login --server http://127.0.0.1:8080 --org ORGANIZATION');
  await run('init soil-moisture');
  await replacePlaceholders(path.join(scratch, 'soil-moisture'));
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
    if (line.startsWith('webhooks create '))
      known['WEBHOOK'] = /webhook ([0-9a-f-]{36})/.exec(stderr)?.[1] ?? '';
  }
  expect(answers['imports list']).toContain(known['IMPORT']);
  expect(answers['imports show IMPORT']).toContain(known['MODULE']);
  expect(answers['export MODULE']).toMatch(/\.zip\n {2}size {5}\d+ bytes\n {2}sha-256 {2}[0-9a-f]{64}\n$/);
  expect(answers['keys create MODULE']).toMatch(/^mmk_\w{49}\n$/);
  expect(answers['keys list MODULE']).toContain(known['CLIENT']);
  expect(answers['keys rotate MODULE CLIENT --overlap 3600']).toMatch(/^mmk_\w{49}\n$/);
  expect(answers['webhooks list MODULE']).toContain(known['WEBHOOK']);
  expect(answers['catalogue dataAreas']).toMatch(/^[0-9a-f-]{36} {2}FarmOrganization /m);
  expect(answers['modules show MODULE']).toContain(known['MODULE']);
  expect(answers['events trigger rule.created']).toContain('"type":"rule.created"');
  expect(commands).toHaveLength(27);
});

/** A server that answers as installations of GitHub and GitLab which know the page's repository. */
async function startRepositories(): Promise<string> {
  const server = await startCiIssuer();
  onTestFinished(() => server.stop());
  const answers: Readonly<Record<string, object>> = {
    '/api/v3/repos/acme/soil': { id: 74, owner: { id: 9 }, full_name: 'acme/soil', default_branch: 'main' },
    '/api/v4/projects/acme%2Fsoil': {
      id: 20,
      namespace: { id: 72 },
      path_with_namespace: 'acme/soil',
      default_branch: 'main',
    },
  };
  server.answer = (request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  };
  return server.url;
}

/** A command of the page with an installation of its own in place of GitHub or GitLab, which are out of reach. */
function atInstallations(line: string, url: string): string {
  return line.endsWith(' --ci gitlab')
    ? line.replace('--ci gitlab', `--ci ${url}`)
    : `${line} --ci ${url}/_services/token`;
}

test('the calls from import to alert work as printed, in eight curl lines, two for the export and one for its record', async () => {
  const headings = ['From import to alert', 'Export by HTTP', 'Read the public record by HTTP'];
  const scripts = headings.flatMap(scriptsUnder);
  expect(scripts.join('\n').match(/\bcurl /g)).toHaveLength(11);
  expect(await answersOf(scripts)).toMatchObject([
    { created: 1, updated: 0, unchanged: 0 },
    { consentPending: false, seenRevision: 1 },
    { organizations: [{ organizationName: 'North Farm', farms: [{ name: 'Home farm' }] }] },
    { results: [{ outcome: 'created' }] },
    { outcome: 'unchanged', revision: 1, warnings: [] },
    { revision: 1, importer: { kind: 'member' } },
  ]);
});

test('a module is staged, previewed, released to a ring and everyone, rolled back and withdrawn, as printed', async () => {
  const [variables = ''] = (scriptsUnder('From import to alert')[0] ?? '').split('\n\n');
  const [packages = '', walk = ''] = scriptsUnder('Release in steps by HTTP');
  await runShell(packages, { HOME: scratch, DATA_DIR: dataDir });
  expect(await answersOf([variables, walk])).toMatchObject([
    { outcome: 'updated', revision: 2, released: false },
    1,
    { currentRevision: 1, previews: [{ revision: 2 }] },
    2,
    { currentRevision: 1, ring: { revision: 2, percent: 20 } },
    { currentRevision: 2, ring: null, previews: [] },
    2,
    { outcome: 'updated', revision: 3, released: true },
    3,
    { currentRevision: 2, newestRevision: 3 },
    2,
    { withdrawal: { reason: 'It is replaced in spring.' } },
    { type: '/problems/module-withdrawn', status: 409 },
  ]);
});
