import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { onBothQueues, type Fault, type Load } from './fault.ts';
import type { FaultStack } from './stack/fault-stack.ts';
import { IS_TIMED } from './max-recovery.ts';
import type { StorageMood } from './stack/storage-proxy.ts';

const AWAY_MS = 1_500;

async function restartRedis({ parts }: FaultStack, round: number): Promise<void> {
  await parts.redis?.stop(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
  await setTimeout(AWAY_MS);
  await parts.redis?.start();
}

async function restartPostgres({ parts }: FaultStack, round: number): Promise<void> {
  await parts.postgres.stop(round % 2 === 0 ? 'fast' : 'immediate');
  await setTimeout(AWAY_MS);
  await parts.postgres.start();
}

async function terminateBackEnds({ databaseUrl }: FaultStack): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await client.end();
}

/** Opens every connection that the server has left, including those reserved for its owner. */
async function takeAllConnections({ databaseUrl }: FaultStack): Promise<void> {
  const clients: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      break;
    }
    clients.push(client);
  }
  await setTimeout(2 * AWAY_MS);
  await Promise.all(clients.map((client) => client.end()));
}

/** The delay of each sync, and the time for which the disk is slow: longer than a job's lock lasts. */
const SLOW_SYNC_MS = 3_000;
const SLOW_DISK_MS = 9_000;

/** Until the code of a process is compiled, it needs up to three times as long for each import. */
const WARM_UP_SHARE = 0.1;
const LEAST_THROUGHPUT = 0.9;
const LOAD_POLL_MS = 100;

/** Holds a snapshot, so that no row that any table's updates leave behind is removed, while the imports pass. */
async function holdTransaction({ databaseUrl }: FaultStack, _round: number, load: Load): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from imports');
  while (load.stories.length < load.imports) await setTimeout(LOAD_POLL_MS);
  await client.query('commit');
  await client.end();
  const ends = load.stories.flatMap(({ endedMs }) => endedMs ?? []).toSorted((a, b) => a - b);
  const passed = ends.slice(Math.floor(ends.length * WARM_UP_SHARE));
  const quarter = Math.floor(passed.length / 4);
  const rates = [0, 1, 2, 3].map((index) => {
    const [first = 0, last = 0] = [passed[index * quarter], passed[(index + 1) * quarter - 1]];
    return (quarter * 1_000) / (last - first);
  });
  console.error(`  imports a second, by quarter: ${rates.map((rate) => rate.toFixed(0)).join(', ')}`);
  const [first = 0, , , last = 0] = rates;
  if (IS_TIMED && last < LEAST_THROUGHPUT * first)
    load.issues.push(`the last quarter had ${(last / first).toFixed(2)} of the first quarter's throughput`);
}

function storageFault(name: string, mood: StorageMood): Fault {
  return {
    name: `storage ${name}`,
    parts: 'Redis, S3',
    needs: ['redis and S3'],
    pauseMs: 1_000,
    async inject({ storageProxy }) {
      if (storageProxy === null) throw new Error('no storage to disturb');
      storageProxy.mood = mood;
      await setTimeout(2 * AWAY_MS);
      storageProxy.mood = 'well';
    },
  };
}

/** Seconds by which a worker's clock is off, one after the other. */
const CLOCK_STEPS = ['+3600', '-3600', '+93600', '-93600', '+0'];

/** Faults of the parts that the service depends on. */
export const PART_FAULTS: readonly Fault[] = [
  {
    name: 'Redis restarted',
    parts: 'Redis, S3',
    needs: ['redis and S3'],
    pauseMs: 1_500,
    inject: restartRedis,
  },
  {
    name: 'Redis emptied',
    parts: 'Redis, S3',
    needs: ['redis and S3'],
    pauseMs: 1_000,
    async inject({ parts }) {
      await parts.redis?.empty();
    },
  },
  { name: 'PostgreSQL restarted', parts: 'PostgreSQL, directory', pauseMs: 1_500, inject: restartPostgres },
  {
    name: 'PostgreSQL restarted, with Redis',
    parts: 'Redis, S3',
    needs: ['redis and S3'],
    pauseMs: 1_500,
    inject: restartPostgres,
  },
  {
    name: 'back ends terminated',
    parts: 'PostgreSQL, directory',
    pauseMs: 500,
    inject: terminateBackEnds,
  },
  storageFault('answers 5xx', 'failing'),
  storageFault('is slow', 'slow'),
  storageFault('cuts bodies', 'cutting'),
  storageFault('answers late', 'answering late'),
  {
    name: 'disk full',
    parts: 'PostgreSQL, directory',
    needs: ['mount namespace'],
    isOnSmallDisk: true,
    pauseMs: 1_000,
    async inject({ disk }) {
      await disk?.fill();
      await setTimeout(AWAY_MS);
      await disk?.clear();
    },
  },
  ...onBothQueues({
    name: 'syncs take seconds',
    needs: ['C compiler', 'PostgreSQL tools'],
    postgres: 'with slow syncs',
    pauseMs: 1_000,
    async inject({ own }) {
      await own.slowDisk?.setDelay(SLOW_SYNC_MS);
      await setTimeout(SLOW_DISK_MS);
      await own.slowDisk?.setDelay(0);
    },
  }),
  {
    name: 'transaction held open',
    parts: 'PostgreSQL, directory',
    importsFactor: 20,
    minTimes: 1,
    pauseMs: 0,
    inject: holdTransaction,
  },
  {
    name: 'connections used up',
    parts: 'PostgreSQL, directory',
    settings: { DATABASE_POOL_SIZE: '2' },
    pauseMs: 1_500,
    inject: takeAllConnections,
  },
  {
    name: 'clock steps',
    parts: 'Redis, S3',
    needs: ['redis and S3', 'faketime'],
    fakesClock: true,
    pauseMs: 1_500,
    async inject({ clockFile }, round) {
      await writeFile(clockFile, CLOCK_STEPS[round % CLOCK_STEPS.length] ?? '+0');
    },
  },
];
