import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { migrate } from '../../../../shared/db/migrate.ts';
import { freePort } from '../../../../shared/local/free-port.ts';
import { ensureDatabase } from '../../../../shared/local/postgres.ts';
import { findPostgresFolder, findProgram } from '../../../support/find-program.ts';
import { DURABLE_REDIS, startRedisServer } from '../../../support/part-servers.ts';
import { openCommandCounts, type CommandCounts } from './command-counts.ts';
import { countTable, type Counted } from './count-tables.ts';
import { startService, type ImportTarget } from './service.ts';
import type { LoadOrder } from './load-generator.ts';
import { openStatementCounts, startCountingPostgres, type StatementCounts } from './statement-counts.ts';
import { startProcess } from '../start-process.ts';

const DATABASE = 'service';
const CLIENTS = 8;
const IMPORTS = 200;
const WARM_UPS = 200;
/** By then, everything that an import leaves for after its answer is done. */
const AFTERMATH_MS = 500;

/** The counted statements; those of Redis only if it has the queue. */
interface Counters {
  readonly statements: StatementCounts;
  readonly commands: CommandCounts | null;
}

/**
 * The SQL statements and the Redis commands of one small import, on both sets of parts, as tables in Markdown. It
 * counts and does not time: the mean times are those of an otherwise idle server.
 */
export async function benchStatements(): Promise<void> {
  const programs = findPostgresFolder();
  if (programs === null)
    throw new Error('this benchmark needs PostgreSQL with its extensions (apt-get install postgresql)');
  await countParts('PostgreSQL and a directory', programs, null);
  const redis = findProgram('redis-server');
  if (redis === null) console.error('Left out: Redis. It needs redis-server (apt-get install redis-server).');
  else await countParts('PostgreSQL, Redis and a directory', programs, redis);
}

async function countParts(name: string, programs: string, redisProgram: string | null): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-statements-'));
  // PostgreSQL may run as another user, who needs access.
  await chmod(folder, 0o755);
  const postgres = await startCountingPostgres(path.join(folder, 'postgres'), programs);
  const redis =
    redisProgram === null
      ? null
      : await startRedisServer(redisProgram, await freePort(), folder, DURABLE_REDIS);
  const redisUrl = redis && `redis://127.0.0.1:${redis.port}`;
  const databaseUrl = await ensureDatabase(postgres.url, DATABASE);
  await migrate(databaseUrl);
  const service = await startService({
    databaseUrl,
    settings: { DATA_DIR: path.join(folder, 'data'), ...(redisUrl !== null && { REDIS_URL: redisUrl }) },
  });
  const counters: Counters = {
    statements: await openStatementCounts(postgres.url, DATABASE),
    commands: redisUrl === null ? null : await openCommandCounts(redisUrl),
  };
  try {
    console.log(`\n## ${name}\n`);
    await countImports(service.target, counters);
  } finally {
    await counters.statements.close();
    counters.commands?.close();
    await service.stop();
    redis?.process.kill('SIGKILL');
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function countImports(target: ImportTarget, counters: Counters): Promise<void> {
  const generator = startProcess('test/lab/bench/import/load-generator.js', {});
  const prepare = (small: number) => generator.request({ prepare: { small } } satisfies LoadOrder);
  const run = () => generator.request({ run: target, clients: CLIENTS } satisfies LoadOrder);
  try {
    await generator.started;
    await prepare(WARM_UPS);
    await run();
    await prepare(IMPORTS);
    const busy = await countDuring(counters, run);
    const idle = await countDuring(counters, () => setTimeout(busy.durationMs - AFTERMATH_MS));
    const seconds = (busy.durationMs / 1_000).toFixed(1);
    console.log(`${IMPORTS} imports by ${CLIENTS} clients in ${seconds} s, then as long idle.\n`);
    console.log(countTable('SQL statement', { busy: busy.statements, idle: idle.statements }, IMPORTS));
    if (counters.commands === null) return;
    console.log(`\n${countTable('Redis command', { busy: busy.commands, idle: idle.commands }, IMPORTS)}`);
  } finally {
    await generator.stop();
  }
}

/** The counts of one interval. */
interface Interval {
  readonly durationMs: number;
  readonly statements: readonly Counted[];
  readonly commands: readonly Counted[];
}

async function countDuring(
  { statements, commands }: Counters,
  act: () => Promise<unknown>,
): Promise<Interval> {
  const startMs = performance.now();
  await statements.reset();
  commands?.reset();
  await act();
  await setTimeout(AFTERMATH_MS);
  const durationMs = performance.now() - startMs;
  return { durationMs, statements: await statements.read(), commands: commands?.read() ?? [] };
}
