import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { makeApiKey } from '../../shared/db/access/api-key.ts';
import { registerApiClient } from '../../shared/db/access/api-keys.ts';
import { openDatabase } from '../../shared/db/database.ts';
import type { Database } from '../../shared/db/database.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { freePort } from '../../shared/local/free-port.ts';
import { ensureDatabase, startPostgres } from '../../shared/local/postgres.ts';
import { startTestIssuer } from '../support/test-issuer.ts';
import type { TestIssuer } from '../support/test-issuer.ts';
import { percentileMs, runHonestLoad } from './honest-load.ts';
import type { HonestOrganization, HonestResult, HonestResults } from './honest-load.ts';
import { HOSTILE_ATTACKS } from './hostile-attacks.ts';
import type { HostileOrganization } from './hostile-attacks.ts';
import type { HostileReport } from './hostile-client.ts';
import { seedModule, seedRule } from './machine-access-seed.ts';
import type { SeedSize } from './machine-access-seed.ts';
import { printTable } from './measure.ts';
import { startProcess } from './start-process.ts';
import type { StartedProcess } from './start-process.ts';

const HONEST = 10;
const HOSTILE_KEYS = 4;
/** About 9 KB. */
const SMALL: SeedSize = { farms: 1, fields: 1, blocks: 18 };
/** About 50 MB, so that no buffer between the processes has room for it. */
const LARGE: SeedSize = { farms: 10, fields: 100, blocks: 99 };
const MOST_GROWTH = 2;
/** A process that does not answer in this time is blocked. */
const METRICS_MS = 10_000;

/** `leadSeconds`: until all attacks are under way. */
const FULL = { warmUpSeconds: 20, seconds: 60, leadSeconds: 10 };
const QUICK = { warmUpSeconds: 6, seconds: 15, leadSeconds: 5 };

/** The service on its own parts, and who calls it. */
interface HostileBench {
  readonly url: string;
  readonly processes: ReadonlyMap<string, { readonly process: StartedProcess; readonly metricsUrl: string }>;
  readonly databaseUrl: string;
  readonly honest: readonly HonestOrganization[];
  readonly hostile: HostileOrganization;
  stop(): Promise<void>;
}

/** What the honest organizations were answered in each phase. */
interface Phases {
  readonly alone: HonestResults;
  /** Alone, on processors that lower processes use for the rest of the time, as the service's threads do beside an attack. */
  readonly busy: HonestResults;
  readonly beside: HonestResults;
}

/**
 * The calls of ten organizations, alone and beside one that attacks the service in every way at once: `--quick`
 * measures for a shorter time.
 */
export async function benchHostile(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false } },
  });
  const extent = values.quick ? QUICK : FULL;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-hostile-'));
  const bench = await startBench(folder);
  const client = startProcess('test/bench/hostile-client.js', {});
  try {
    await client.started;
    // On a machine of its own it would take no processor time from the service.
    os.setPriority(client.pid, os.constants.priority.PRIORITY_LOW);
    await runHonestLoad(bench.url, bench.honest, extent.warmUpSeconds);
    await worstGaps(bench);
    const alone = await runHonestLoad(bench.url, bench.honest, extent.seconds);
    const gapsAlone = await worstGaps(bench);
    const rest = keepProcessorsBusy();
    const busy = await runHonestLoad(bench.url, bench.honest, extent.seconds);
    rest();
    await worstGaps(bench);
    const release = await lockStructures(bench);
    await client.request(bench.hostile);
    await setTimeout(extent.leadSeconds * 1_000);
    const beside = await runHonestLoad(bench.url, bench.honest, extent.seconds);
    const report = await client.request<HostileReport>('report');
    const gapsBeside = await worstGaps(bench);
    await release();
    printHonest({ alone, busy, beside });
    printProcesses(bench, gapsAlone, gapsBeside);
    printHostile(report);
  } finally {
    await client.stop();
    await bench.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function startBench(folder: string): Promise<HostileBench> {
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const databaseUrl = await ensureDatabase(postgres.url, 'hostile');
  await migrate(databaseUrl);
  const issuer = await startTestIssuer();
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: path.join(folder, 'data'),
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'fatal',
    PORT: '0',
  };
  const metricsPort = await freePort();
  const api = startProcess('api/main.js', environment);
  const worker = startProcess('worker/main.js', { ...environment, METRICS_PORT: String(metricsPort) });
  const url = `http://127.0.0.1:${await api.started}`;
  await worker.started;
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  const honest: HonestOrganization[] = [];
  for (let index = 0; index < HONEST; index += 1) honest.push(await makeHonest(database, issuer));
  const hostile = await makeHostile(database, issuer, url);
  await database.destroy();
  return {
    ...{ url, databaseUrl, honest, hostile },
    processes: new Map([
      ['API', { process: api, metricsUrl: `${url}/metrics` }],
      ['worker', { process: worker, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }],
    ]),
    async stop() {
      for (const { pid } of [api, worker]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await postgres.stop();
      await issuer.stop();
    },
  };
}

async function makeHonest(database: Database, issuer: TestIssuer): Promise<HonestOrganization> {
  const module = await seedModule(database, SMALL);
  return { ...(await accountsOf(issuer, module)), ...module, ...(await seedRule(database, module)) };
}

async function makeHostile(
  database: Database,
  issuer: TestIssuer,
  url: string,
): Promise<HostileOrganization> {
  const module = await seedModule(database, LARGE);
  const { vendorId: organizationId, moduleId } = module;
  const keys = [module.key];
  while (keys.length < HOSTILE_KEYS) {
    const key = makeApiKey();
    const client = { clientName: null, expiresAt: new Date(Date.now() + 86_400_000) };
    const actor = { subject: 'bench', traceId: '0'.repeat(32), max: HOSTILE_KEYS };
    await registerApiClient(database, { organizationId, moduleId }, client, key, actor);
    keys.push(key.secret);
  }
  return { url, keys, ...(await accountsOf(issuer, module)), moduleId };
}

/** Tokens of the vendor of a module and of the farmer who installed it. */
async function accountsOf(issuer: TestIssuer, module: { vendorId: string; organizationId: string }) {
  const { vendorId, organizationId: farmerId } = module;
  const tokenOf = (id: string) =>
    issuer.token({ subject: id, organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  return { vendorId, farmerId, vendorToken: await tokenOf(vendorId), farmerToken: await tokenOf(farmerId) };
}

/** Locks the row that every write of the hostile farmer's structures waits for, until the returned function is called. */
async function lockStructures({ databaseUrl, hostile }: HostileBench): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // Where the run fails, PostgreSQL stops before the lock is released.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  const lock = 'select from structure_sets where organization_id = $1 for update';
  await client.query(lock, [hostile.farmerId]);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

/** The longest time for which the event loop of each process was blocked since the last call; null: no answer. */
async function worstGaps({ processes }: HostileBench): Promise<ReadonlyMap<string, number | null>> {
  const gaps = new Map<string, number | null>();
  for (const [name, { metricsUrl }] of processes) {
    const text = await fetch(metricsUrl, { signal: AbortSignal.timeout(METRICS_MS) })
      .then((answer) => answer.text())
      .catch(() => '');
    const found = /^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (?<seconds>\S+)$/m.exec(text);
    gaps.set(name, found === null ? null : Number(found.groups?.['seconds']) * 1_000);
  }
  return gaps;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The growth that counts is that beside processors which are busy anyway: the rest is that of the scheduler. */
function printHonest({ alone, busy, beside }: Phases): void {
  const rows = [
    [
      'call',
      'calls',
      'p50 alone',
      'busy',
      'beside',
      'p99 alone',
      'busy',
      'beside',
      'beside ÷ busy',
      'failed',
    ],
  ];
  const none: HonestResult = { durationsMs: [], failures: [] };
  for (const kind of alone.keys()) {
    const phases = [alone, busy, beside].map((phase) => phase.get(kind) ?? none);
    const [, before = none, after = none] = phases;
    const times = [0.5, 0.99].flatMap((share) => phases.map((each) => percentileMs(each, share)));
    const growth = percentileMs(after, 0.99) / percentileMs(before, 0.99);
    if (growth >= MOST_GROWTH || after.failures.length > 0) process.exitCode = 1;
    rows.push([
      ...[kind, String(after.durationsMs.length)],
      ...times.map((ms) => `${ms.toFixed(0)} ms`),
      ...[growth.toFixed(2), String(after.failures.length)],
    ]);
  }
  console.log(
    `\n${HONEST} organizations: alone, alone on busy processors, and beside a hostile organization`,
  );
  printTable(rows);
}

/** Uses what processor time the others leave, until the returned function is called. */
function keepProcessorsBusy(): () => void {
  const busy = os.cpus().map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  for (const { pid = 0 } of busy) os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
  return () => {
    for (const each of busy) each.kill('SIGKILL');
  };
}

function printProcesses(
  { processes }: HostileBench,
  alone: ReadonlyMap<string, number | null>,
  beside: ReadonlyMap<string, number | null>,
): void {
  const rows = [['process', 'worst gap of the event loop alone', 'beside', 'still runs']];
  const ms = (gap: number | null | undefined) => (typeof gap === 'number' ? `${gap.toFixed(0)} ms` : '–');
  for (const [name, { process: started }] of processes) {
    const runs = isAlive(started.pid);
    if (!runs) process.exitCode = 1;
    rows.push([name, ms(alone.get(name)), ms(beside.get(name)), runs ? 'yes' : 'no']);
  }
  console.log('');
  printTable(rows);
}

function printHostile(report: HostileReport): void {
  const rows = [['attack', 'at once', 'answers by status; 0: none']];
  for (const [index, { name, lanes }] of HOSTILE_ATTACKS.entries()) {
    const answers = Object.entries(report[index] ?? {}).map(([status, count]) => `${status}: ${count}`);
    rows.push([name, String(lanes), answers.join(', ')]);
  }
  console.log('');
  printTable(rows);
}
