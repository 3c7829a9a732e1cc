import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Fault } from './fault.ts';
import type { FaultStack } from './fault-stack.ts';
import type { StorageMood } from './storage-proxy.ts';

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
