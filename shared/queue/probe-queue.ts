import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { databaseProblem } from '../db/database-problem.ts';
import { openQueuePool } from '../db/queue-pool.ts';
import { shownAddress } from '../process/network-problem.ts';
import { finding, trySteps, type ProbeStep } from '../process/probe-step.ts';
import { within } from '../process/within.ts';
import { LANES, postgresLane, redisLane, type QueueConnection } from './queue-connection.ts';
import { redisProblem } from './queue-problem.ts';

const CONNECT_MS = 5_000;
const TRIAL_MS = 8_000;

/** Checks the queue, and removes the job that it adds. Never throws. */
export async function probeQueue({ redisUrl, databaseUrl }: QueueConnection): Promise<readonly ProbeStep[]> {
  if (redisUrl !== null) return probeRedis(redisUrl);
  const jobs = async () => {
    const pool = openQueuePool(databaseUrl, 1);
    return tryJob(postgresLane(trialName(), pool)).finally(() => pool.end());
  };
  return trySteps({ jobs }, (error) => databaseProblem(error, databaseUrl));
}

async function probeRedis(url: string): Promise<readonly ProbeStep[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let connectionError: unknown = null;
  redis.on('error', (error: unknown) => (connectionError = error));
  const connection = async () => {
    await within(CONNECT_MS, redis.connect());
    await redis.ping();
    return shownAddress(url);
  };
  /** A line of the server's INFO; empty for a user without the right to run it. */
  const infoLine = async (name: string, otherwise: string) =>
    new RegExp(`^${name}:.*`, 'm').exec(await redis.info().catch(() => ''))?.[0].trim() ??
    `${name}:${otherwise}`;
  const eviction = async () => {
    const line = await infoLine('maxmemory_policy', 'noeviction');
    return finding(line.endsWith(':noeviction'), line, NO_EVICTION);
  };
  const persistence = async () => {
    const line = await infoLine('aof_enabled', '1');
    return finding(line.endsWith(':1'), line, PERSISTENCE, true);
  };
  const jobs = () => tryJob(redisLane(trialName(), url));
  try {
    const explain = (error: unknown) => redisProblem(connectionError ?? error, url);
    return await trySteps({ connection, eviction, persistence, jobs }, explain);
  } finally {
    redis.disconnect();
  }
}

const NO_EVICTION =
  'When its memory is full, the server deletes jobs. Run redis-cli CONFIG SET maxmemory-policy noeviction, and put maxmemory-policy noeviction into its configuration file.';
const PERSISTENCE =
  'A crash of the server loses jobs of the last moments; workers queue them again from the database. Run redis-cli CONFIG SET appendonly yes, and put appendonly yes into its configuration file.';

/** A queue of its own under the same prefix as the service's, whose keys an ACL must allow. */
function trialName() {
  return `${LANES.regular}-doctor-${randomBytes(6).toString('hex')}` as const;
}

/** Adds a job as the API does, and removes it with all of its queue. */
async function tryJob(lane: ReturnType<typeof redisLane> | ReturnType<typeof postgresLane>): Promise<string> {
  const { queue, disconnect } = lane;
  queue.on('error', () => undefined);
  try {
    await within(TRIAL_MS, queue.add(LANES.regular, { importId: 'doctor', retries: 0 }));
    const count = await within(TRIAL_MS, queue.getWaitingCount());
    await within(TRIAL_MS, queue.obliterate({ force: true }));
    if (count !== 1) throw new Error(`${count} jobs are in the queue after one was added`);
    return 'a job was added, found and removed';
  } finally {
    await within(CONNECT_MS, queue.close()).catch(() => undefined);
    disconnect();
  }
}
