import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DEMONSTRATION } from '../../shared/local/demonstration.ts';
import { printTable } from '../lab/bench/measure.ts';
import { findProgram } from '../support/find-program.ts';
import { makeFarmedModule, signTokenOfAll } from '../support/farmed-module.ts';
import { writeJunitReport, type Ending } from '../support/junit-report.ts';
import { startLocalStack, type LocalStack } from '../support/local-stack.ts';
import { CLIENTS, type Client, type Command, type Folders } from './clients.ts';

const ROOT = process.cwd();
const TOOLS = path.join(ROOT, '.test-data/clients');
/** Against hanging for ever: a first run downloads for some minutes. */
const COMMAND_TIMEOUT_MS = 600_000;

type Variables = Readonly<Record<string, string>>;

/** The result for a client. */
interface Result {
  readonly client: Client;
  readonly generated: Ending;
  readonly compiled: Ending;
  readonly chain: Ending;
  readonly seconds: number;
}

/** Runs a command to its end; returns what it printed. @throws Error with its output where it fails. */
async function run([program, ...args]: Command, cwd: string, variables: Variables = {}): Promise<string> {
  // Generators start others: the formatter of the Python client is in its environment.
  const PATH = [path.join(TOOLS, 'python/bin'), process.env['PATH']].join(path.delimiter);
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...variables, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_TIMEOUT_MS,
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (exitCode === 0) return output;
  throw new Error(`${program} ${args.join(' ')} ended with ${String(exitCode)}\n${output}${errors}`);
}

/** A folder with the client's program and the packages of this repository. */
async function prepareFolder({ name }: Client, folder: string): Promise<void> {
  await cp(path.join(ROOT, 'test/clients', name), folder, { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
}

/** Generates, compiles and runs a client; a step that fails is reported, and the rest are skipped. */
async function tryClient(client: Client, folders: Folders, variables: Variables): Promise<Result> {
  const startedMs = performance.now();
  const endings: Record<'generated' | 'compiled' | 'chain', Ending> = {
    generated: 'skipped',
    compiled: 'skipped',
    chain: 'skipped',
  };
  const attempt = async (step: keyof typeof endings, act: () => Promise<void>) => {
    endings[step] = 'failed';
    await act();
    endings[step] = 'passed';
  };
  const runAll = async (commands: readonly Command[]) => {
    for (const command of commands) await run(command, folders.folder);
  };
  const runChain = async () => {
    const printed = await run(client.run(folders), folders.folder, { ...variables, CLIENT: client.name });
    if (printed.trim() !== 'created') throw new Error(`the alert is not created but ${printed}`);
  };
  try {
    await prepareFolder(client, folders.folder);
    await attempt('generated', () => runAll(client.generate(folders)));
    await attempt('compiled', () => runAll(client.compile(folders)));
    await attempt('chain', runChain);
  } catch (error) {
    console.error(`${client.name}: ${String(error)}`);
  }
  return { client, ...endings, seconds: (performance.now() - startedMs) / 1_000 };
}

/** Whether the programs of a client are installed; a missing one is only allowed by hand. */
function canRun({ name, needs }: Client): boolean {
  const missing = needs.filter((each) => findProgram(each) === null);
  if (missing.length === 0) return true;
  if (process.env['REQUIRE_ALL_PARTS'] === '1')
    throw new Error(`REQUIRE_ALL_PARTS=1, but missing: ${missing.join(', ')}`);
  console.log(`Left out: ${name}. It needs ${missing.join(' and ')}.`);
  return false;
}

async function tryClients(stack: LocalStack, dataDir: string, scratch: string): Promise<readonly Result[]> {
  const token = await signTokenOfAll(dataDir);
  const { moduleId, apiKey, farmId, ruleId } = await makeFarmedModule(stack, token);
  const variables = {
    API_URL: stack.url,
    API_TOKEN: token,
    VENDOR_ID: DEMONSTRATION.vendor.id,
    FARMER_ID: DEMONSTRATION.northFarm.id,
    MODULE_ID: moduleId,
    API_KEY: apiKey,
    PACKAGE: stack.example,
    FARM_ID: farmId,
    RULE_ID: ruleId,
  };
  const document = path.join(scratch, 'openapi.json');
  await writeFile(document, await (await fetch(`${stack.url}/openapi.json`)).text());
  const wanted = process.argv.slice(2);
  const results: Result[] = [];
  for (const client of CLIENTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    if (!canRun(client)) continue;
    const folders = { document, folder: path.join(scratch, client.name), tools: TOOLS };
    results.push(await tryClient(client, folders, variables));
  }
  return results;
}

function printResults(results: readonly Result[]): void {
  printTable([
    ['client', 'version', 'generated', 'compiled', 'chain', 'seconds'],
    ...results.map(({ client, generated, compiled, chain, seconds }) => [
      client.name,
      client.version,
      generated,
      compiled,
      chain,
      seconds.toFixed(1),
    ]),
  ]);
}

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'clients-data-'));
const scratch = await mkdtemp(path.join(os.tmpdir(), 'clients-'));
await mkdir(TOOLS, { recursive: true });
const stack = await startLocalStack(dataDir);
try {
  const results = await tryClients(stack, dataDir, scratch);
  printResults(results);
  const report = process.env['CLIENT_REPORT'];
  const cases = results.map(({ client, chain }) => ({
    name: client.name,
    ending: chain === 'passed' ? chain : ('failed' as const),
  }));
  if (report !== undefined) await writeJunitReport(report, 'clients', cases);
  if (results.length === 0 || cases.some(({ ending }) => ending === 'failed')) process.exitCode = 1;
} finally {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
  await rm(scratch, { recursive: true, force: true });
}
