import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { databaseProblem } from '../db/database-problem.ts';
import { openQueuePool } from '../db/queue-pool.ts';
import { clockDifference, clockFinding } from '../process/clock-step.ts';
import { shownAddress } from '../process/network-problem.ts';
import { tryStep, type Finding, type ProbeStep } from '../process/probe-step.ts';
import { within } from '../process/within.ts';
import { LANES, postgresLane, redisLane, type QueueConnection } from './queue-connection.ts';
import { redisProblem } from './queue-problem.ts';

const CONNECT_MS = 5_000;
const TRIAL_MS = 8_000;

/** Tries what the service needs of its queue; the job that it adds, it removes again. Never throws. */
export async function probeQueue(connection: QueueConnection): Promise<readonly ProbeStep[]> {
  return connection.redisUrl === null
    ? probePostgresQueue(connection.databaseUrl)
    : probeRedis(connection.redisUrl);
}

async function probePostgresQueue(databaseUrl: string): Promise<readonly ProbeStep[]> {
  const jobs = await tryStep(
    'jobs',
    async () => {
      const pool = openQueuePool(databaseUrl, 1);
      await tryJob(postgresLane(trialName(), pool)).finally(() => pool.end());
      return 'in the database: a job was added, found and removed';
    },
    (error) => {
      const { problem, advice } = databaseProblem(error, databaseUrl);
      return {
        detail: problem,
        advice: advice ?? "Run this version's migrate step (npm run migrate), or set REDIS_URL.",
      };
    },
  );
  return [jobs];
}

async function probeRedis(url: string): Promise<readonly ProbeStep[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lastError: unknown = null;
  redis.on('error', (error: unknown) => (lastError = error));
  const step = (name: string, act: () => Promise<Finding>) =>
    tryStep(name, act, (error) => {
      const { problem, advice } = redisProblem(lastError ?? error, url);
      return { detail: problem, advice };
    });
  try {
    const connection = await step('connection', async () => {
      await within(CONNECT_MS, redis.connect());
      await redis.ping();
      return shownAddress(url);
    });
    if (!connection.ok) return [connection];
    const info = readInfo(await redis.info().catch(() => ''));
    return [
      connection,
      await step('version', () => Promise.resolve(versionFinding(info))),
      await step('eviction', () => Promise.resolve(evictionFinding(info))),
      await step('persistence', () => Promise.resolve(persistenceFinding(info))),
      await step('role', () => Promise.resolve(roleFinding(info))),
      await step('jobs', async () => {
        await tryJob(redisLane(trialName(), url));
        return 'a job was added, found and removed';
      }),
      await step('clock', () => tryClock(redis)),
    ];
  } finally {
    redis.disconnect();
  }
}

/** A queue of its own under the same prefix as the service's, whose keys an ACL must allow. */
function trialName() {
  return `${LANES.regular}-doctor-${randomBytes(6).toString('hex')}` as const;
}

/** Adds a job as the API does, and removes it with all of its queue. */
async function tryJob(lane: ReturnType<typeof redisLane> | ReturnType<typeof postgresLane>): Promise<void> {
  const { queue, disconnect } = lane;
  queue.on('error', () => undefined);
  try {
    await within(TRIAL_MS, queue.add(LANES.regular, { importId: 'doctor', retries: 0 }));
    const count = await within(TRIAL_MS, queue.getWaitingCount());
    await within(TRIAL_MS, queue.obliterate({ force: true }));
    if (count !== 1) throw new Error(`${count} jobs are in the queue after one was added`);
  } finally {
    await within(CONNECT_MS, queue.close()).catch(() => undefined);
    disconnect();
  }
}

type Info = ReadonlyMap<string, string>;

function readInfo(text: string): Info {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
}

function versionFinding(info: Info): Finding {
  if (info.size === 0)
    return {
      ok: true,
      detail: 'The user may not run INFO, so version, eviction and persistence are not known.',
      advice: 'Grant it: ACL SETUSER <user> +info',
    };
  const valkey = info.get('valkey_version');
  const redis = info.get('redis_version') ?? '0';
  const [major = 0, minor = 0] = redis.split('.').map(Number);
  const name = valkey === undefined ? `Redis ${redis}` : `Valkey ${valkey}`;
  if (major > 6 || (major === 6 && minor >= 2)) return name;
  return { ok: false, detail: `${name} is too old.`, advice: 'Use Redis 6.2 or newer, or Valkey.' };
}

function evictionFinding(info: Info): Finding {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return policy ?? 'not known';
  return {
    ok: false,
    detail: `maxmemory-policy is ${policy}: when its memory is full, the server deletes jobs.`,
    advice:
      'Run redis-cli CONFIG SET maxmemory-policy noeviction, and put maxmemory-policy noeviction into its configuration file.',
  };
}

function persistenceFinding(info: Info): Finding {
  const failed = ['aof_last_write_status', 'rdb_last_bgsave_status'].filter(
    (name) => info.get(name) === 'err',
  );
  if (failed.length > 0)
    return {
      ok: false,
      detail: `The server cannot write to its disk: ${failed.join(', ')} is err.`,
      advice: 'Free space, and look at its log.',
    };
  const isOn = info.get('aof_enabled');
  if (isOn !== '0') return isOn === '1' ? 'an append-only file' : 'not known';
  return {
    ok: true,
    detail:
      'A crash of the server loses jobs of the last moments; workers queue them again from the database.',
    advice: 'Run redis-cli CONFIG SET appendonly yes, and put appendonly yes into its configuration file.',
  };
}

function roleFinding(info: Info): Finding {
  if (info.get('role') === 'slave')
    return {
      ok: false,
      detail: 'The server is a replica, which cannot be written.',
      advice: 'Let REDIS_URL lead to the primary.',
    };
  if (info.get('cluster_enabled') === '1')
    return {
      ok: true,
      detail: 'The server is part of Redis Cluster, with which the service is not tested.',
      advice: 'Use a single server.',
    };
  return 'primary';
}

async function tryClock(redis: Redis): Promise<Finding> {
  const differenceMs = await clockDifference(async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  });
  return clockFinding(differenceMs, 'Redis');
}
