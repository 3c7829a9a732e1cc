import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../../../shared/db/migrate.ts';
import { freePort } from '../../../../shared/local/free-port.ts';
import { ensureDatabase, startPostgres } from '../../../../shared/local/postgres.ts';
import { DURABLE_REDIS, startRedisServer } from '../../../support/part-servers.ts';
import { startService, type ImportTarget } from './service.ts';
import { startProcess } from '../start-process.ts';

/** One of the compared importers, with servers of its own. */
export interface Side {
  readonly target: ImportTarget;
  /** The process ID by part: of several processes, their parent's. */
  readonly pids: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Starts the naive importer: one process and PostgreSQL. */
export async function startRival(folder: string): Promise<Side> {
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const rival = startProcess('test/lab/bench/import/rival.js', {
    DATABASE_URL: await ensureDatabase(postgres.localUrl, 'rival'),
    DATA_DIR: path.join(folder, 'modules'),
  });
  return {
    target: { url: `http://127.0.0.1:${await rival.started}/import`, token: null },
    pids: new Map([
      ['rival', rival.pid],
      ['PostgreSQL', postgres.pid],
    ]),
    async stop() {
      await rival.stop();
      await postgres.stop();
    },
  };
}

/** Starts the service on PostgreSQL and a directory; its queue is in Redis where a program is passed. */
export async function startServiceSide(folder: string, redisProgram: string | null): Promise<Side> {
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const databaseUrl = await ensureDatabase(postgres.localUrl, 'service');
  await migrate(databaseUrl);
  await mkdir(path.join(folder, 'redis'));
  const redis =
    redisProgram === null
      ? null
      : await startRedisServer(redisProgram, await freePort(), path.join(folder, 'redis'), DURABLE_REDIS);
  const service = await startService({
    databaseUrl,
    settings: {
      DATA_DIR: path.join(folder, 'data'),
      ...(redis !== null && { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
    },
  });
  return {
    target: service.target,
    pids: new Map([
      ['API', service.apiPids[0] ?? 0],
      ['worker', service.workerPids[0] ?? 0],
      ['PostgreSQL', postgres.pid],
      ...(redis === null ? [] : [['Redis', redis.process.pid ?? 0] as const]),
    ]),
    async stop() {
      await service.stop();
      redis?.process.kill('SIGKILL');
      await postgres.stop();
    },
  };
}
