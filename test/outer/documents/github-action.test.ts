import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { CI_CLAIMS, startCiIssuer } from '../../support/ci-issuer.ts';
import { CliVendor } from '../../support/cli-vendor.ts';
import { writeOwnCatalogue } from '../../support/own-catalogue.ts';
import { LOOPBACK_ISSUERS } from '../../support/publishing-module.ts';
import { replacePlaceholders } from '../../support/replace-placeholders.ts';
import { buildModulectl } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

interface Step {
  readonly uses?: string;
  readonly name?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const ROOT = path.resolve(import.meta.dirname, '../../..');
const EXPRESSION = /^\$\{\{ inputs\.([\w-]+) \}\}$/;
const CONDITION = /^inputs\.([\w-]+) (==|!=) '(\w*)'$/;
let action: Action;
let app: TestApp;
let vendor: CliVendor;
let folder: string;

beforeAll(async () => {
  buildModulectl();
  action = parse(await readFile(path.join(ROOT, '.github/actions/modulectl/action.yml'), 'utf8')) as Action;
  app = await startTestApp();
});

afterAll(() => app.stop());

beforeEach(() => joinWithModule(app));

/** A vendor of a server with a module as a repository has it: the build is in dist/. */
async function joinWithModule(server: TestApp): Promise<void> {
  vendor = await CliVendor.join(server);
  folder = path.join(vendor.scratch, `soil ${randomUUID()}`);
  await vendor.run('init', folder);
  await replacePlaceholders(folder);
  await cp(path.join(folder, 'PackageArtifact/build'), path.join(vendor.scratch, 'dist'), {
    recursive: true,
  });
  await rm(path.join(folder, 'PackageArtifact'), { recursive: true });
}

interface Ran {
  readonly name: string;
  readonly exitCode: number;
  readonly output: string;
}

/** Whether a step runs with these inputs. */
function isMet(condition: string, inputs: Readonly<Record<string, string>>): boolean {
  return condition.split(' || ').some((comparison) => {
    const [, name, operator, value] = CONDITION.exec(comparison) ?? [];
    if (name === undefined) throw new Error(`the test does not know the condition ${comparison}`);
    return (inputs[name] === value) === (operator === '==');
  });
}

/** Runs the shell lines of the action as a runner does: in order, until one fails. */
async function runAction(
  given: Readonly<Record<string, string>>,
  job: Readonly<Record<string, string>> = {},
): Promise<Ran[]> {
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? input.default ?? '']),
  );
  const temporary = path.join(vendor.scratch, 'temp');
  await mkdir(temporary, { recursive: true });
  const ran: Ran[] = [];
  for (const { name = '', env = {}, run, if: condition } of action.runs.steps) {
    if (run === undefined || (condition !== undefined && !isMet(condition, inputs))) continue;
    const variables = Object.entries(env).map(([key, value]) => [
      key,
      inputs[EXPRESSION.exec(value)?.[1] ?? ''] ?? '',
    ]);
    const { PATH } = process.env;
    const environment = {
      PATH,
      HOME: vendor.scratch,
      RUNNER_TEMP: temporary,
      ...job,
      ...Object.fromEntries(variables),
    };
    const result = await new Promise<Ran>((resolve) => {
      const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run];
      const options = { cwd: vendor.scratch, env: environment };
      const child = execFile('bash', args, options, (_error, stdout, stderr) =>
        resolve({ name, exitCode: child.exitCode ?? -1, output: stdout + stderr }),
      );
    });
    ran.push(result);
    if (result.exitCode !== 0) break;
  }
  return ran;
}

const inputs = () => ({
  server: `${app.url}/`,
  organization: vendor.organization.id,
  token: vendor.token,
  path: folder,
  artifact: 'dist',
});

test('the action is composite, sets up only Node, and writes no input into a script', () => {
  const { using, steps } = action.runs;
  expect(using).toBe('composite');
  expect(steps.flatMap(({ uses }) => uses ?? [])).toEqual([expect.stringMatching(/^actions\/setup-node@/)]);
  for (const { run = '' } of steps) expect(run).not.toContain('${{');
  for (const value of steps.flatMap(({ env = {} }) => Object.values(env))) expect(value).toMatch(EXPRESSION);
});

test('it fetches the modulectl of the server, checks the module and imports it with its build', async () => {
  const ran = await runAction(inputs());
  expect(ran.map(({ name, exitCode }) => [name, exitCode])).toEqual([
    ['Fetch modulectl', 0],
    ['Check', 0],
    ['Import', 0],
  ]);
  expect(ran[2]?.output).toMatch(/✓ created module [0-9a-f-]{36}\n/);
  expect(ran.map(({ output }) => output).join('')).not.toContain(vendor.token);
});

test('problems are annotations of the pull request, and nothing is imported', async () => {
  await rm(path.join(folder, 'ModuleLogo/logo.svg'));
  const ran = await runAction(inputs());
  expect(ran.map(({ name, exitCode }) => [name, exitCode])).toEqual([
    ['Fetch modulectl', 0],
    ['Check', 1],
  ]);
  expect(ran[1]?.output).toMatch(/^::error .*moduleSchema\.json,line=\d+/m);
});

test('without a token and an import it checks the module by the catalogue of modulectl', async () => {
  const ran = await runAction({ ...inputs(), token: '', import: 'false' });
  expect(ran.map(({ name, exitCode }) => [name, exitCode])).toEqual([
    ['Fetch modulectl', 0],
    ['Check', 0],
  ]);
});

test('without a token it imports by trusted publishing a module with IDs that only the server has', async () => {
  const catalogueFile = path.join(vendor.scratch, 'catalogue.json');
  await writeOwnCatalogue(catalogueFile);
  const own = await startTestApp({ settings: { ...LOOPBACK_ISSUERS, CATALOGUE_FILE: catalogueFile } });
  onTestFinished(() => own.stop());
  const issuer = await startCiIssuer();
  onTestFinished(() => issuer.stop());
  await joinWithModule(own);
  const { stdout } = await vendor.run('import', folder, '--artifact', `${vendor.scratch}/dist`, '--save-id');
  const [, moduleId = ''] = /✓ created module (\S+)/.exec(stdout) ?? [];
  const items = [{ issuer: issuer.url, audience: own.url, claims: CI_CLAIMS }];
  await own.as(vendor.organization).put(`/trustedPublishers/${moduleId}`, { items });
  const job = { MODULECTL_ID_TOKEN: await issuer.token({ aud: own.url }) };
  const ran = await runAction({ ...inputs(), server: own.url, token: '' }, job);
  expect(ran.map(({ name, exitCode }) => [name, exitCode])).toEqual([
    ['Fetch modulectl', 0],
    ['Import', 0],
  ]);
  expect(ran[1]?.output).toContain(`module ${moduleId}\n`);
});

test('a server that is away fails the job', async () => {
  const ran = await runAction({ ...inputs(), server: 'http://127.0.0.1:1' });
  expect(ran).toHaveLength(1);
  expect(ran[0]?.exitCode).toBeGreaterThan(0);
});
