import { OF_TOKEN } from '../../../shared/db/access/authority.ts';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { recordChange } from '../../../shared/db/changes/record-changes.ts';
import { openDatabase, type Database } from '../../../shared/db/database.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import { createWebhook } from '../../../shared/db/webhooks/webhooks.ts';
import { EncryptionKeys } from '../../../shared/encryption/encryption-keys.ts';
import { ensureDatabase, startPostgres } from '../../../shared/local/postgres.ts';
import { findPostgresFolder } from '../../support/find-program.ts';
import { startService } from './import/service.ts';
import { seedModule, type SeededModule } from './machine-access/seed.ts';
import { printTable } from './measure.ts';
import { processorMs } from './process-tree.ts';
import { openReceivers, type Receivers } from './webhook-receivers.ts';

const QUICK = 100;
const CHANGES_PER_SECOND = 500;
const SECONDS = 20;
const WARM_UP_SECONDS = 10;
const ROUNDS = 3;
const WORKERS = 2;
const TICK_MS = 10;
const CONNECTIONS = 16;
const SMALL = { farms: 1, fields: 1, blocks: 0 };
const ACTOR = {
  subject: 'bench',
  actorName: null,
  traceId: '0'.repeat(32),
  authority: OF_TOKEN,
  max: { module: 1, organization: 1 },
};
const IDLE_AT_ONCE = 10_000;
/** Webhooks of a vendor whose receivers have failed: each has a delivery that waits for tomorrow. */
const IDLE = `
  with idle as (
    insert into webhooks (id, organization_id, module_id, url, public_key, sealed_keys, position, created_by)
    select gen_random_uuid(), :organizationId, :moduleId, '', '', '', 0, 'bench' from generate_series(1, :count::int)
    returning id, organization_id
  )
  insert into webhook_deliveries (webhook_id, event_id, organization_id, position, is_due, due_at)
  select id, gen_random_uuid(), organization_id, 0, false, now() + interval '1 day' from idle`;
/** The last calls of a round arrive by then. */
const MAX_REST_MS = 60_000;

interface Market {
  readonly database: Database;
  readonly receivers: Receivers;
  readonly quick: readonly SeededModule[];
  /** Its receiver answers after 30 s. */
  readonly slow: SeededModule;
}

/** The time from the commit of a change to the first attempt to deliver it, of quick receivers. */
interface Delays {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly missing: number;
}

/**
 * From the commit of a change to its first attempt: 500 changes a second for 100 quick receivers, alone and beside one
 * that answers after 30 seconds, in turns. Arguments: changes per second, seconds, rounds, idle webhooks of another vendor.
 */
export async function benchWebhooks([rate, seconds, rounds, idle]: readonly string[]): Promise<void> {
  const programs = findPostgresFolder();
  if (programs === null) throw new Error('this benchmark needs PostgreSQL (apt-get install postgresql)');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-webhooks-'));
  // PostgreSQL may run as another user, who needs access.
  await chmod(folder, 0o755);
  const postgres = await startPostgres(path.join(folder, 'postgres'), { programs });
  const databaseUrl = await ensureDatabase(postgres.url, 'service');
  await migrate(databaseUrl);
  const key = randomBytes(32);
  const settings = {
    DATA_DIR: path.join(folder, 'data'),
    ENCRYPTION_KEYS: `bench:${key.toString('base64')}`,
    OUTBOUND_ALLOW_LOOPBACK: '1',
  };
  const service = await startService({ databaseUrl, settings, workers: WORKERS });
  const database = openDatabase({ url: databaseUrl, poolSize: CONNECTIONS });
  const receivers = await openReceivers();
  try {
    const market = await makeMarket(database, receivers, new EncryptionKeys([{ id: 'bench', key }]));
    await addIdle(database, Number(idle ?? 0));
    const load = { perSecond: Number(rate ?? CHANGES_PER_SECOND), seconds: Number(seconds ?? SECONDS) };
    await run(market, { ...load, seconds: WARM_UP_SECONDS }, false);
    await compare(market, load, Number(rounds ?? ROUNDS), service.workerPids);
  } finally {
    receivers.close();
    await database.destroy();
    await service.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function makeMarket(database: Database, receivers: Receivers, keys: EncryptionKeys): Promise<Market> {
  const withWebhook = async (url: string): Promise<SeededModule> => {
    const seeded = await seedModule(database, SMALL);
    const module = { organizationId: seeded.vendorId, moduleId: seeded.moduleId };
    const webhook = { url, types: null, description: null };
    await createWebhook(database, keys, module, webhook, ACTOR);
    return seeded;
  };
  const quick: SeededModule[] = [];
  for (let index = 0; index < QUICK; index += 1) quick.push(await withWebhook(receivers.quickUrl));
  return { database, receivers, quick, slow: await withWebhook(receivers.slowUrl) };
}

async function addIdle(database: Database, idle: number): Promise<void> {
  if (idle === 0) return;
  const { vendorId: organizationId, moduleId } = await seedModule(database, SMALL);
  for (let left = idle; left > 0; left -= IDLE_AT_ONCE)
    await database.raw(IDLE, { organizationId, moduleId, count: Math.min(left, IDLE_AT_ONCE) });
  await database.raw('vacuum analyze webhooks, webhook_deliveries');
}

interface ChangeLoad {
  readonly perSecond: number;
  readonly seconds: number;
}

async function compare(
  market: Market,
  load: ChangeLoad,
  rounds: number,
  workerPids: readonly number[],
): Promise<void> {
  const rows = [['receivers', 'changes/s', 'p50 ms', 'p99 ms', 'missing', 'worker ms per change']];
  const p99 = { alone: [] as number[], beside: [] as number[] };
  for (let round = 0; round < rounds; round += 1)
    for (const side of ['alone', 'beside'] as const) {
      const startMs = workerPids.map(processorMs);
      const delays = await run(market, load, side === 'beside');
      const usedMs = workerPids.reduce((sum, pid, at) => sum + processorMs(pid) - (startMs[at] ?? 0), 0);
      p99[side].push(delays.p99Ms);
      const name = side === 'alone' ? `${QUICK} quick` : `${QUICK} quick, 1 of 30 s`;
      const numbers = [delays.perSecond, delays.p50Ms, delays.p99Ms, delays.missing].map((each) =>
        each.toFixed(0),
      );
      rows.push([name, ...numbers, (usedMs / (load.perSecond * load.seconds)).toFixed(2)]);
    }
  printTable(rows);
  const [alone, beside] = [Math.min(...p99.alone), Math.min(...p99.beside)];
  console.log(`\np99 beside the slow receiver / alone, best rounds: ${(beside / alone).toFixed(2)}`);
}

async function run(market: Market, load: ChangeLoad, withSlow: boolean): Promise<Delays> {
  const { database, receivers, quick, slow } = market;
  const committed = new Map<number, number>();
  const first = receivers.nextNumber;
  const startMs = performance.now();
  const write = async (moduleId: string, number: number) => {
    await recordChange(database, { type: 'revision.released', moduleId, subject: { revision: number } });
    if (moduleId !== slow.moduleId) committed.set(number, performance.now());
  };
  const total = load.perSecond * load.seconds;
  let made = 0;
  const isDue = () => made < ((performance.now() - startMs) / 1_000) * load.perSecond;
  const next = () => (receivers.nextNumber += 1);
  const lane = async () => {
    while (made < total) {
      if (!isDue()) {
        await setTimeout(TICK_MS);
        continue;
      }
      const index = made;
      made += 1;
      await write(quick[index % QUICK]?.moduleId ?? '', next());
      if (withSlow && index % QUICK === 0) await write(slow.moduleId, next());
    }
  };
  // A server that is too slow for the rate lowers it: the table shows what was reached.
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const seconds = (performance.now() - startMs) / 1_000;
  const lastMs = performance.now() + MAX_REST_MS;
  const isMissing = () => [...committed.keys()].filter((number) => !receivers.arrivals.has(number)).length;
  while (isMissing() > 0 && performance.now() < lastMs) await setTimeout(200);
  const delays = [...committed]
    .map(([number, atMs]) => Math.max(0, (receivers.arrivals.get(number) ?? Infinity) - atMs))
    .toSorted((a, b) => a - b);
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0;
  const perSecond = (receivers.nextNumber - first) / seconds;
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99), missing: isMissing() };
}
