import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openDatabase, type Database } from '../../../shared/db/database.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import { ensureDatabase, startPostgres } from '../../../shared/local/postgres.ts';
import { findPostgresFolder } from '../../support/find-program.ts';
import { smallUpdate } from './import/packages.ts';
import { startService, uploadBody, type BenchService } from './import/service.ts';
import { seedModule } from './machine-access/seed.ts';
import { measure, printTable } from './measure.ts';
import { processorMs } from './process-tree.ts';

const CLIENTS = 8;
const WARM_UPS = 1_500;
const COUNTS = { imports: 400, structures: 2_000 };
const ROUNDS = 6;
/** By then, the work that a write leaves for after its answer is done. */
const AFTERMATH_MS = 1_500;
const MOST_FARMS = 10;
const SEED = { farms: 1, fields: 1, blocks: 0 };

type Kind = keyof typeof COUNTS;

/** The kind of write, and the processes that use processor time for it. */
interface Setting {
  readonly database: Database;
  readonly pids: readonly number[];
  readonly act: Readonly<Record<Kind, () => Promise<void>>>;
}

/**
 * The processor time of an import and of a write of structures with the outbox and without it, in turns: a trigger keeps
 * the changes from being stored, so that nothing is sequenced either. API, worker and PostgreSQL are counted. Arguments:
 * rounds, and a divisor of all counts for a quick look.
 */
export async function benchOutbox([rounds, divisor]: readonly string[]): Promise<void> {
  const programs = findPostgresFolder();
  if (programs === null) throw new Error('this benchmark needs PostgreSQL (apt-get install postgresql)');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-outbox-'));
  // PostgreSQL may run as another user, who needs access.
  await chmod(folder, 0o755);
  const postgres = await startPostgres(path.join(folder, 'postgres'), { programs });
  const databaseUrl = await ensureDatabase(postgres.url, 'service');
  await migrate(databaseUrl);
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await makeSwitch(database);
  const service = await startService({ databaseUrl, settings: { DATA_DIR: path.join(folder, 'data') } });
  try {
    const pids = [postgres.pid, ...service.apiPids, ...service.workerPids];
    const setting = { database, pids, act: await actsOf(database, service) };
    const part = Number(divisor ?? 1);
    for (const kind of ['imports', 'structures'] as const) {
      await measure(Math.ceil(WARM_UPS / part), CLIENTS, setting.act[kind]);
      await compare(setting, kind, Math.ceil(COUNTS[kind] / part), Number(rounds ?? ROUNDS));
    }
  } finally {
    await database.destroy();
    await service.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A trigger that leaves out what is inserted; it is off. */
async function makeSwitch(database: Database): Promise<void> {
  await database.raw(`
    create function leave_out() returns trigger language plpgsql as 'begin return null; end';
    create trigger leave_out before insert on outbox for each row execute function leave_out();
    alter table outbox disable trigger leave_out`);
}

async function actsOf(database: Database, service: BenchService): Promise<Setting['act']> {
  const { organizationId } = await seedModule(database, SEED);
  const token = await service.tokenFor(organizationId);
  const address = `${service.origin}/api/v8.0/${organizationId}/structures`;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const ids = Array.from({ length: MOST_FARMS }, () => randomUUID());
  return {
    imports: async () => service.importOne(uploadBody(smallUpdate())),
    async structures() {
      const farms = ids.map((id) => ({ id, name: randomUUID() }));
      const answer = await fetch(address, { method: 'PUT', headers, body: JSON.stringify({ farms }) });
      if (!answer.ok) throw new Error(`a write of structures answered ${answer.status}`);
      await answer.arrayBuffer();
    },
  };
}

async function compare(setting: Setting, kind: Kind, count: number, rounds: number): Promise<void> {
  const rows = [[kind, 'with outbox, ms', 'without, ms', 'with / without']];
  const sums = { with: 0, without: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
    const used = { with: 0, without: 0 };
    for (const side of order) used[side] = await usedBy(setting, kind, count, side === 'with');
    sums.with += used.with;
    sums.without += used.without;
    rows.push(rowOf(`round ${round + 1}`, used, count));
  }
  rows.push(rowOf('all', sums, count * rounds));
  printTable(rows);
  console.log('');
}

function rowOf(name: string, used: Readonly<Record<'with' | 'without', number>>, count: number): string[] {
  const each = [used.with / count, used.without / count, used.with / used.without];
  return [name, ...each.map((value) => value.toFixed(3))];
}

/** The processor time of all processes, in milliseconds. */
async function usedBy(
  { database, pids, act }: Setting,
  kind: Kind,
  count: number,
  withOutbox: boolean,
): Promise<number> {
  await database.raw(`alter table outbox ${withOutbox ? 'disable' : 'enable'} trigger leave_out`);
  const all = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  const before = all();
  await measure(count, CLIENTS, act[kind]);
  await setTimeout(AFTERMATH_MS);
  return all() - before;
}
