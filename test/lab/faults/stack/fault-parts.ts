import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../../shared/local/free-port.ts';
import { startPostgres, type RunningPostgres } from '../../../../shared/local/postgres.ts';
import { findProgram } from '../../../support/find-program.ts';
import { VERSITYGW } from '../../../support/s3-stores.ts';
import { CENTRE, hasOwnNetwork } from '../../../support/hosts/own-network.ts';
import {
  DURABLE_REDIS,
  startRedisServer,
  startS3Server,
  type PartServer,
} from '../../../support/part-servers.ts';
import { startTestIssuer, type TestIssuer } from '../../../support/test-issuer.ts';
import { exited } from './exited.ts';
import { buildCommit, previousCommit } from './previous-version.ts';

/** PostgreSQL that can be stopped and restarted on the same port. */
export interface RestartablePostgres {
  readonly url: string;
  /** `fast` ends sessions and flushes everything; `immediate` is a crash. */
  stop(way: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
}

/** Redis that can be stopped and restarted on the same port. */
export interface RestartableRedis {
  readonly url: string;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  /** Deletes every job. */
  empty(): Promise<void>;
}

/** The servers that all faults share; each fault has its own database and bucket, and empties Redis. */
export interface FaultParts {
  readonly folder: string;
  readonly issuer: TestIssuer;
  readonly postgres: RestartablePostgres;
  /** Null where it is not installed. */
  readonly redis: RestartableRedis | null;
  readonly s3: PartServer | null;
  /** The compiled service of the previous version; it is compiled once. */
  previousDist(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the servers on free ports, in a folder of their own. */
export async function startFaultParts(): Promise<FaultParts> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'faults-'));
  // PostgreSQL may run as another user, who needs access.
  await chmod(folder, 0o755);
  const issuer = await startTestIssuer(hasOwnNetwork ? CENTRE : undefined);
  const postgres = await restartablePostgres(path.join(folder, 'postgres'));
  const redisProgram = findProgram('redis-server');
  const redis =
    redisProgram === null ? null : await restartableRedis(redisProgram, path.join(folder, 'redis'));
  const s3 = VERSITYGW.isInstalled()
    ? await startS3Server(VERSITYGW, await freePort(), path.join(folder, 's3'))
    : null;
  let previousDist: Promise<string> | null = null;
  return {
    ...{ folder, issuer, postgres, redis, s3 },
    previousDist() {
      previousDist ??= buildCommit(previousCommit() ?? '', path.join(folder, 'previous'));
      return previousDist;
    },
    async stop() {
      s3?.process.kill('SIGKILL');
      await redis?.stop('SIGKILL');
      await postgres.stop('fast');
      await issuer.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function restartablePostgres(folder: string): Promise<RestartablePostgres> {
  const port = await freePort();
  let running: RunningPostgres = await startPostgres(folder, { port });
  return {
    url: running.url,
    async stop(way) {
      if (way === 'fast') {
        await running.stop();
        return;
      }
      process.kill(running.pid, 'SIGQUIT');
      await exited(running.pid);
    },
    async start() {
      running = await startPostgres(folder, { port });
    },
  };
}

async function restartableRedis(program: string, folder: string): Promise<RestartableRedis> {
  await mkdir(folder);
  const port = await freePort();
  let running = await startRedisServer(program, port, folder, DURABLE_REDIS);
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop(signal) {
      const ended = once(running.process, 'exit');
      running.process.kill(signal);
      await ended;
    },
    async start() {
      running = await startRedisServer(program, port, folder, DURABLE_REDIS);
    },
    async empty() {
      const redis = new Redis(port, '127.0.0.1');
      await redis.flushall();
      redis.disconnect();
    },
  };
}
