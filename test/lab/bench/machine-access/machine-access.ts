import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openDatabase, type Database } from '../../../../shared/db/database.ts';
import { migrate } from '../../../../shared/db/migrate.ts';
import { ensureDatabase, startPostgres } from '../../../../shared/local/postgres.ts';
import { benchAgainstRival } from './rival.ts';
import { frostAlert, seedModule, seedRule, type SeededModule } from './seed.ts';
import type { ServerReport } from './server.ts';
import { measure, printTable } from '../measure.ts';
import type { Row } from './read-rounds.ts';

const PAIRS = 5;
const READS = 2_000;
const CLIENTS = 16;
const BATCHES = 40;
const BATCH = 1_000;
const SENDERS = 4;
const FIRST_PROBLEM = 400;
/** About 9 KB: a farm, a field and 18 blocks. */
const SMALL = { farms: 1, fields: 1, blocks: 18 };
const SMALL_MODULES = 32;
/** 1,000,000 structures. */
const LARGE = { farms: 100, fields: 100, blocks: 99 };

/** Machine access next to its lower bounds, all in one run: reads, 304, a million structures, alerts. */
export async function benchMachineAccess(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-machine-'));
  const postgres = await startPostgres(path.join(folder, 'postgres'), { fsync: true });
  const url = await ensureDatabase(postgres.url, 'service');
  await migrate(url);
  const database = openDatabase({ url, poolSize: 2 });
  const modules: SeededModule[] = [];
  for (let index = 0; index < SMALL_MODULES; index += 1) modules.push(await seedModule(database, SMALL));
  const [small] = modules;
  if (small === undefined) throw new Error('there is no module');
  const large = await seedModule(database, LARGE);
  await database.raw('vacuum analyze');
  const server = await startServer({ DATABASE_URL: url, DATA_DIR: path.join(folder, 'data') });
  const compared = {
    port: server.checkedPort,
    pid: server.child.pid ?? 0,
    postgresPid: postgres.pid,
    databaseUrl: url,
    database,
  };
  try {
    const rows: Row[] = [
      ['what', 'measured', 'floor', 'result', 'wanted'],
      ...(await benchAgainstRival(compared, modules)),
      ...(await benchReads(server, small)),
      await benchNotModified(server, small),
      ...(await benchMillion(server, large, url)),
      await benchAlerts(server, database, small),
    ];
    printTable(rows);
  } finally {
    server.child.kill('SIGKILL');
    await database.destroy();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface BenchServer {
  readonly child: ChildProcess;
  readonly agent: http.Agent;
  readonly checkedPort: number;
  readonly uncheckedPort: number;
  report(): Promise<ServerReport>;
}

async function startServer(environment: Record<string, string>): Promise<BenchServer> {
  const script = path.join(import.meta.dirname, `server${import.meta.filename.slice(-3)}`);
  const child = fork(script, {
    env: {
      ...process.env,
      ...environment,
      PORT: '0',
      LOG_LEVEL: 'warn',
      AUTH_ISSUER: 'http://127.0.0.1:9/unused',
      MAX_REQUESTS_PER_MINUTE_PER_KEY: '0',
      MAX_REQUESTS_PER_MINUTE_PER_ORGANIZATION: '0',
    },
    execArgv:
      process.env['BENCH_PROFILE'] === undefined
        ? []
        : ['--cpu-prof', `--cpu-prof-dir=${process.env['BENCH_PROFILE']}`],
  });
  const [ports] = (await once(child, 'message')) as [{ checkedPort: number; uncheckedPort: number }];
  return {
    child,
    agent: new http.Agent({ keepAlive: true, maxSockets: CLIENTS }),
    ...ports,
    async report() {
      child.send('report');
      const [report] = (await once(child, 'message')) as [ServerReport];
      return report;
    },
  };
}

interface Call {
  readonly path: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request and reads the answer to its end without keeping it. @throws Error for a problem, with its text */
async function call(agent: http.Agent, port: number, { path, key, headers, body }: Call) {
  return new Promise<{ status: number; bytes: number; etag: string }>((resolve, reject) => {
    const request = http.request({
      port,
      host: '127.0.0.1',
      agent,
      method: body === undefined ? 'GET' : 'POST',
      path: `/api/v8.0/Alerts/${path}`,
      headers: {
        'X-Api-Key': key,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      let bytes = 0;
      let problem = '';
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (status >= FIRST_PROBLEM) problem += piece.toString();
      });
      response.on('error', reject);
      response.on('end', () => {
        if (status < FIRST_PROBLEM) resolve({ status, bytes, etag: response.headers.etag ?? '' });
        else reject(new Error(`${path} answered ${status}: ${problem}`));
      });
    });
    request.end(body);
  });
}

async function reads(server: BenchServer, port: number, { moduleId, key }: SeededModule): Promise<number> {
  const { perSecond } = await measure(READS, CLIENTS, async () => {
    await call(server.agent, port, { path: `StructuresByModuleId/${moduleId}`, key });
  });
  return perSecond;
}

async function benchReads(server: BenchServer, module: SeededModule): Promise<Row[]> {
  const { checkedPort, uncheckedPort } = server;
  const { bytes } = await call(server.agent, checkedPort, {
    path: `StructuresByModuleId/${module.moduleId}`,
    key: module.key,
  });
  await reads(server, checkedPort, module);
  await reads(server, uncheckedPort, module);
  await server.report();
  const pairs: { ours: number; floor: number; ratio: number }[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const ours = await reads(server, checkedPort, module);
    const floor = await reads(server, uncheckedPort, module);
    pairs.push({ ours, floor, ratio: ours / floor });
  }
  const { checkP99Ms } = await server.report();
  const middle = pairs.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(PAIRS / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return [
    [
      `read of ${(bytes / 1_000).toFixed(1)} KB with a key / without`,
      `${middle.ours.toFixed(0)}/s`,
      `${middle.floor.toFixed(0)}/s`,
      `${middle.ratio.toFixed(2)} (median of ${PAIRS})`,
      '0.9',
    ],
    ['p99 of the key check', `${checkP99Ms.toFixed(3)} ms`, '', '', '0.3 ms'],
  ];
}

async function benchNotModified(server: BenchServer, { moduleId, key }: SeededModule): Promise<Row> {
  const path = `StructuresByModuleId/${moduleId}`;
  const { etag } = await call(server.agent, server.checkedPort, { path, key });
  const whole = await measure(READS, CLIENTS, async () => {
    await call(server.agent, server.checkedPort, { path, key });
  });
  const unchanged = await measure(READS, CLIENTS, async () => {
    const { status } = await call(server.agent, server.checkedPort, {
      path,
      key,
      headers: { 'If-None-Match': etag },
    });
    if (status !== 304) throw new Error(`expected 304, not ${status}`);
  });
  const ratio = (unchanged.perSecond / whole.perSecond).toFixed(2);
  return [
    '304 / the whole answer',
    `${unchanged.perSecond.toFixed(0)}/s`,
    `${whole.perSecond.toFixed(0)}/s`,
    ratio,
    '',
  ];
}

/** The JSON of the answer without its brackets, as the database itself would send it. */
const COPY = `
  copy (select '{' || members || ',"boundary":' || coalesce(geometry, 'null') || '}' from structures
    where organization_id = 'ORGANIZATION' order by farm_id, section, branch_id, level, id) to stdout`;

async function benchMillion(server: BenchServer, module: SeededModule, url: string): Promise<Row[]> {
  const copies: number[] = [];
  const streams: number[] = [];
  let bytes = 0;
  const { rssBytes: idle } = await server.report();
  let peak = 0;
  for (let round = 0; round < 3; round += 1) {
    copies.push(await timeCopy(url, module));
    await server.report();
    const start = performance.now();
    const path = `StructuresByModuleId/${module.moduleId}`;
    const answer = await call(server.agent, server.checkedPort, { path, key: module.key });
    streams.push(performance.now() - start);
    bytes = answer.bytes;
    peak = Math.max(peak, (await server.report()).peakRssBytes);
  }
  const [ours, floor] = [Math.min(...streams), Math.min(...copies)];
  const mib = (value: number) => `${(value / 2 ** 20).toFixed(0)} MiB`;
  return [
    [
      `1,000,000 structures, ${mib(bytes)} / COPY`,
      `${(ours / 1_000).toFixed(2)} s`,
      `${(floor / 1_000).toFixed(2)} s`,
      `${(ours / floor).toFixed(2)} x`,
      '2 x',
    ],
    ['the same: resident memory over idle', mib(peak), mib(idle), `${mib(peak - idle)} more`, '64 MiB'],
  ];
}

async function timeCopy(url: string, { organizationId }: SeededModule): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const start = performance.now();
  const nowhere = new Writable({
    write(_piece, _encoding, done) {
      done();
    },
  });
  await pipeline(client.query(copyTo(COPY.replace('ORGANIZATION', organizationId))), nowhere);
  const ms = performance.now() - start;
  await client.end();
  return ms;
}

async function benchAlerts(server: BenchServer, database: Database, module: SeededModule): Promise<Row> {
  const rules = await Promise.all(Array.from({ length: SENDERS }, () => seedRule(database, module)));
  const { perSecond } = await measure(BATCHES, SENDERS, async (index) => {
    const { ruleId, farmId } = rules[index % rules.length] ?? { ruleId: '', farmId: '' };
    const alerts = Array.from({ length: BATCH }, (_, item) =>
      frostAlert(ruleId, farmId, `sensor-${index}-${item}`),
    );
    const path = `AlertsByModuleId/${module.moduleId}`;
    const body = JSON.stringify({ alerts });
    await call(server.agent, server.checkedPort, { path, key: module.key, body });
  });
  const measured = `${(perSecond * BATCH).toFixed(0)} alerts/s`;
  return [`alerts, ${BATCHES} batches of ${BATCH}`, measured, '', '', '5000/s'];
}
