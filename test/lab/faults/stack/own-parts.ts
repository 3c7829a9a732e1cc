import path from 'node:path';
import { startPostgres } from '../../../../shared/local/postgres.ts';
import { findPostgresFolder, findProgram } from '../../../support/find-program.ts';
import type { FaultParts } from './fault-parts.ts';
import type { StackSettings } from '../fault.ts';
import { ReplicatedPostgres } from './replicated-postgres.ts';
import { ReplicatedRedis } from './replicated-redis.ts';
import { makeSlowDisk, type SlowDisk } from './slow-sync.ts';

/** The servers that only one fault uses; null where it uses those that all faults share. */
export interface OwnParts {
  readonly postgres: ReplicatedPostgres | null;
  readonly redis: ReplicatedRedis | null;
  /** Of PostgreSQL and of the processes of the service. */
  readonly slowDisk: SlowDisk | null;
  /** Of the PostgreSQL that the fault runs on. */
  readonly postgresUrl: string;
  readonly redisUrl: string | null;
  stop(): Promise<void>;
}

/** Starts the parts that a fault does not share with the others. */
export async function openOwnParts(
  parts: FaultParts,
  fault: StackSettings,
  folder: string,
): Promise<OwnParts> {
  const programs = findPostgresFolder() ?? '';
  const isSlow = fault.postgres === 'with slow syncs';
  const slowDisk = isSlow ? await makeSlowDisk(folder) : null;
  const slowPrograms = await slowDisk?.wrap(programs, ['postgres', 'initdb']);
  const slow =
    slowPrograms === undefined
      ? null
      : await startPostgres(path.join(folder, 'postgres'), { programs: slowPrograms });
  const hasStandby = fault.postgres !== undefined && !isSlow;
  const postgres = hasStandby ? await ReplicatedPostgres.open(programs, folder) : null;
  const redisProgram = fault.replicatesRedis === true ? findProgram('redis-server') : null;
  const redis = redisProgram === null ? null : await ReplicatedRedis.open(redisProgram, folder);
  return {
    ...{ postgres, redis, slowDisk },
    postgresUrl: (postgres ?? slow ?? parts.postgres).url,
    redisUrl: (redis ?? parts.redis)?.url ?? null,
    async stop() {
      await redis?.stop();
      await postgres?.stop();
      await slow?.stop();
    },
  };
}
