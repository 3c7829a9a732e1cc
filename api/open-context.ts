import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Config } from '../shared/config/config.ts';
import { openContext } from '../shared/process/context.ts';
import type { Context } from '../shared/process/context.ts';
import { NotificationListener } from '../shared/db/notification-listener.ts';
import { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { Log } from '../shared/telemetry/log.ts';
import { SettingsError } from '../shared/config/settings-reader.ts';
import type { ApiContext } from './context.ts';
import { makeApiMetrics } from './operations/api-metrics.ts';
import type { ApiMetrics } from './operations/api-metrics.ts';
import { ArchiveReader } from './modules/archive-reader.ts';
import { AccessTokens } from './auth/access-token.ts';
import { Access } from './auth/access.ts';
import { ApiKeys } from './auth/api-key.ts';
import { MachineRate } from './machine-access/machine-rate.ts';
import { ImportWaiter } from './imports/import-waiter.ts';
import { reportBacklog } from './operations/queue-metrics.ts';
import { SharedReads } from './http/shared-reads.ts';
import { Stop } from './http/stop.ts';
import { RateLimit } from './http/rate-limit.ts';
import { longAnswerLimit, uploadLimit } from './http/concurrency-limit.ts';

const REDIS_READY_MS = 5_000;

/** Opens the API's context. @throws SettingsError if a required setting is missing. */
export async function openApiContext(config: Config, log?: Log): Promise<ApiContext> {
  const { issuer } = config.auth;
  if (issuer === null)
    throw new SettingsError(['AUTH_ISSUER must be set (npm start runs a development issuer)']);
  const context = await openContext('api', config, log);
  const structures = new StructureReader(context.queueConnection.databaseUrl, context.log);
  const metrics = openMetrics(context, structures);
  const apiKeys = new ApiKeys(context.database, context.log, metrics.keyChecks);
  const waiter = new ImportWaiter(context.database, context.log);
  const listenUrl = config.database.listenUrl ?? context.queueConnection.databaseUrl;
  const listener = new NotificationListener(listenUrl, context.log, (ids) => {
    waiter.wake(ids);
  });
  await listener.start();
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, context.log);
  return {
    ...context,
    access: new Access(new AccessTokens({ ...config.auth, issuer }), context.database),
    archives: new ArchiveReader(context.storage),
    apiKeys,
    machineRate: new MachineRate(config.machineAccess, redis),
    importRate: new RateLimit('imports', config.imports.maxImportsPerMinute, redis),
    uploadSlots: uploadLimit(config.imports),
    waiter,
    moduleFileReads: new SharedReads(),
    structures,
    structureReads: new SharedReads(),
    streamSlots: longAnswerLimit('a key', 'Wait for one to end, or request less with limit.'),
    exportSlots: longAnswerLimit('an organization', 'Wait for one to end.'),
    metrics,
    redis,
    stop: new Stop(),
    async close() {
      waiter.close();
      await apiKeys.close();
      redis?.disconnect();
      await listener.close();
      await structures.close();
      await context.close();
    },
  };
}

async function openRedis(url: string, log: Log): Promise<Redis> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  redis.on('error', (error: Error) => {
    log.warn({ err: error }, 'redis connection failed');
  });
  // Without the connection each process would count for itself. The process starts even if Redis is unavailable.
  await once(redis, 'ready', { signal: AbortSignal.timeout(REDIS_READY_MS) }).catch(() => undefined);
  return redis;
}

function openMetrics(context: Context, structures: StructureReader): ApiMetrics {
  const metrics = makeApiMetrics(context.processMetrics);
  context.processMetrics.watchPool('structures', () => structures.poolUse());
  reportBacklog(context);
  return metrics;
}
