import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Config } from '../shared/config/config.ts';
import { openContext } from '../shared/process/context.ts';
import type { Context } from '../shared/process/context.ts';
import { openDatabase, poolUse } from '../shared/db/database.ts';
import type { Database } from '../shared/db/database.ts';
import { NotificationListener } from '../shared/db/notification-listener.ts';
import { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { Log } from '../shared/telemetry/log.ts';
import { FairSlots } from '../shared/limits/fair-slots.ts';
import { FairTurns } from '../shared/limits/fair-turns.ts';
import { SettingsError } from '../shared/config/settings-reader.ts';
import type { ApiContext } from './context.ts';
import { makeApiMetrics } from './operations/api-metrics.ts';
import type { ApiMetrics } from './operations/api-metrics.ts';
import { ArchiveReader } from './modules/archive-reader.ts';
import { AccessTokens } from './auth/access-token.ts';
import { discoverIssuer } from './auth/discover-issuer.ts';
import { Access } from './auth/access.ts';
import { ApiKeys } from './auth/api-key.ts';
import { IssuerClient } from './auth/issuer-client.ts';
import { Sessions } from './auth/sessions.ts';
import { MachineRate } from './machine-access/machine-rate.ts';
import { ImportRate } from './imports/import-rate.ts';
import { StorageQuota } from './imports/storage-quota.ts';
import { ImportWaiter } from './imports/import-waiter.ts';
import { HealthChecks } from './operations/health.ts';
import { reportBacklog } from './operations/queue-metrics.ts';
import { JsonBodies } from './http/json-bodies.ts';
import { SharedReads } from './http/shared-reads.ts';
import { Stop } from './http/stop.ts';
import { StreamSlots } from './structures/stream-slots.ts';
import { TokenExchange } from './trusted-publishing/token-exchange.ts';

const REDIS_READY_MS = 5_000;

/** Opens the API's context. @throws SettingsError if a required setting is missing. */
export async function openApiContext(config: Config, log?: Log): Promise<ApiContext> {
  const { issuer } = config.auth;
  if (issuer === null)
    throw new SettingsError(['AUTH_ISSUER must be set (npm start runs a development issuer)']);
  const context = await openContext('api', config, { log, ...connectionOptions(config) });
  const slots = openSlots(config);
  const { snapshotSeconds } = config.streams;
  const structures = new StructureReader(context.queueConnection.databaseUrl, context.log, snapshotSeconds);
  const healthDatabase = openHealthDatabase(context);
  const metrics = openMetrics(context, structures, healthDatabase);
  const apiKeys = new ApiKeys(context.database, context.log, metrics.keyChecks);
  const waiter = new ImportWaiter(context.database, context.log);
  const listenUrl = config.database.listenUrl ?? context.queueConnection.databaseUrl;
  const listener = new NotificationListener(listenUrl, context.log, (ids) => {
    waiter.wake(ids);
  });
  await listener.start();
  const jsonBodies = new JsonBodies(config.server);
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, context.log);
  return {
    ...context,
    healthDatabase,
    health: openHealth(context, healthDatabase, issuer),
    access: new Access(new AccessTokens({ ...config.auth, issuer }, context.log), context.database),
    sessions: openSessions(context, issuer),
    archives: new ArchiveReader(context.storage, slots.downloadSlots),
    apiKeys,
    turns: new FairTurns(),
    ...openRates(context, redis),
    ...slots,
    jsonBodies,
    waiter,
    moduleFileReads: new SharedReads(),
    structures,
    structureReads: new SharedReads(),
    metrics,
    redis,
    stop: new Stop(),
    async close() {
      waiter.close();
      await apiKeys.close();
      await jsonBodies.close();
      redis?.disconnect();
      await listener.close();
      await structures.close();
      await healthDatabase.destroy();
      await context.close();
    },
  };
}

function openSessions(context: Context, issuer: string): Sessions | null {
  const { portal } = context.config;
  return portal === null ? null : new Sessions(context, new IssuerClient(issuer, portal), portal.sessions);
}

/** What is limited by time, in all API processes together where there is Redis, and what is limited by space. */
function openRates(
  { config, database, log }: Context,
  redis: Redis | null,
): Pick<ApiContext, 'machineRate' | 'importRate' | 'tokenExchange' | 'storageQuota'> {
  return {
    machineRate: new MachineRate(config.machineAccess, redis),
    importRate: new ImportRate(config.imports.maxImportsPerMinute, redis),
    storageQuota: new StorageQuota(config.quotas.maxStoredBytesPerOrganization, database),
    tokenExchange: new TokenExchange({ database, log, redis }, config.outbound),
  };
}

function connectionOptions({ database }: Config) {
  const { waitSeconds, lockSeconds, statementSeconds } = database;
  return {
    sharing: { maxWaitMs: waitSeconds * 1_000 },
    times: { lockMs: lockSeconds * 1_000, statementMs: statementSeconds * 1_000 },
  };
}

function openHealthDatabase({ queueConnection, log }: Context): Database {
  return openDatabase({ url: queueConnection.databaseUrl, poolSize: 1, log });
}

/** Somebody else's server, and its answer changes rarely. */
const ISSUER_CHECK_KEPT_MS = 5_000;

function openHealth({ storage, queue, log }: Context, healthDatabase: Database, issuer: string) {
  return new HealthChecks(
    {
      database: { check: () => healthDatabase.raw('select 1'), isVital: true },
      storage: { check: () => storage.check(), isVital: true },
      queue: { check: () => queue.check(), isVital: false },
      issuer: { check: () => discoverIssuer(issuer), isVital: false, keptMs: ISSUER_CHECK_KEPT_MS },
    },
    log,
  );
}

/** A page with many images, or a client that downloads a whole package, waits for its turns. */
const WAITING_DOWNLOADS = { maxWaitingPerOwner: 256, maxWaitMs: 5_000 };

type Slots = Pick<ApiContext, 'uploadSlots' | 'exportSlots' | 'downloadSlots' | 'eventSlots' | 'streamSlots'>;

function openSlots({ imports, sharing, streams }: Config): Slots {
  return {
    uploadSlots: new FairSlots({
      resource: 'uploads',
      max: imports.maxUploads,
      maxPerOwner: imports.maxUploadsPerOrganization,
    }),
    exportSlots: new FairSlots({
      resource: 'exports',
      max: sharing.maxExports,
      maxPerOwner: sharing.maxExportsPerOrganization,
    }),
    downloadSlots: new FairSlots({
      resource: 'downloads',
      ownerKind: 'caller',
      max: sharing.maxDownloads,
      maxPerOwner: sharing.maxDownloadsPerOrganization,
      ...WAITING_DOWNLOADS,
    }),
    eventSlots: new FairSlots({
      resource: 'event streams',
      max: streams.maxEventStreams,
      maxPerOwner: streams.maxEventStreamsPerOrganization,
    }),
    streamSlots: new StreamSlots(),
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

function openMetrics(context: Context, structures: StructureReader, healthDatabase: Database): ApiMetrics {
  const metrics = makeApiMetrics(context.processMetrics);
  context.processMetrics.watchPool('structures', () => structures.poolUse());
  context.processMetrics.watchPool('health', () => poolUse(healthDatabase));
  reportBacklog(context, healthDatabase);
  return metrics;
}
