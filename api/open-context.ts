import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Config } from '../shared/config/config.ts';
import { openContext, type Context } from '../shared/process/context.ts';
import { poolUse, type Database } from '../shared/db/database.ts';
import { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { Log } from '../shared/telemetry/log.ts';
import { FairRate } from '../shared/limits/fair-rate.ts';
import { FairSlots } from '../shared/limits/fair-slots.ts';
import { FairTurns } from '../shared/limits/fair-turns.ts';
import { SettingsError } from '../shared/config/settings-reader.ts';
import type { ApiContext } from './context.ts';
import { makeApiMetrics, type ApiMetrics } from './operations/api-metrics.ts';
import { ArchiveReader } from './modules/archive-reader.ts';
import { AccessTokens } from './auth/access-token.ts';
import { Access } from './auth/access.ts';
import { ApiKeys } from './auth/api-key.ts';
import { IssuerClient } from './auth/issuer-client.ts';
import { Sessions } from './auth/sessions.ts';
import { MachineRate } from './machine-access/machine-rate.ts';
import { ImportRate } from './imports/import-rate.ts';
import { RateLimit } from './http/rate-limit.ts';
import { StorageQuota } from './imports/storage-quota.ts';
import { openWaiting } from './open-waiting.ts';
import { openHealth, openHealthDatabase } from './operations/health.ts';
import { watchLimits } from './operations/limit-metrics.ts';
import { reportBacklog } from './operations/queue-metrics.ts';
import { RefusedCallers } from './http/refused-callers.ts';
import { JsonBodies } from './http/json-bodies.ts';
import { SharedReads } from './http/shared-reads.ts';
import { serveWaiting } from './http/serve-waiting.ts';
import { Stop } from './http/stop.ts';
import { StreamSlots } from './structures/stream-slots.ts';
import { TokenExchange } from './trusted-publishing/token-exchange.ts';

const REDIS_READY_MS = 5_000;

/** Opens the API's context. @throws SettingsError if a required setting is missing. */
export async function openApiContext(config: Config, log?: Log): Promise<ApiContext> {
  const { issuer } = config.auth;
  if (issuer === null)
    throw new SettingsError(['AUTH_ISSUER must be set (npm start runs a development issuer)']);
  const context = await openContext('api', config, {
    log,
    ...connectionOptions(config),
    wait: (parts) => serveWaiting(parts, issuer),
  });
  const { snapshotSeconds } = config.streams;
  const structures = new StructureReader(context.queueConnection.databaseUrl, context.log, snapshotSeconds);
  const healthDatabase = openHealthDatabase(context);
  const metrics = openMetrics(context, structures, healthDatabase);
  const apiKeys = new ApiKeys(context.database, context.log, metrics.keyChecks);
  const { close: closeWaiting, ...waiting } = await openWaiting(context);
  const limits = { ...openSlots(config), jsonBodies: new JsonBodies(config) };
  watchLimits(context.processMetrics, limits);
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, context.log);
  return {
    ...context,
    healthDatabase,
    health: openHealth(context, healthDatabase, issuer),
    access: new Access(new AccessTokens({ ...config.auth, issuer }, context.log), context.database),
    sessions: openSessions(context, issuer),
    archives: new ArchiveReader(context.storage, limits.downloadSlots),
    apiKeys,
    ...openRates(context, redis),
    ...limits,
    ...waiting,
    moduleFileReads: new SharedReads(),
    structures,
    structureReads: new SharedReads(),
    metrics,
    redis,
    stop: new Stop(),
    applicationOrigin: config.applications?.origin ?? null,
    async close() {
      await closeWaiting();
      await apiKeys.close();
      await limits.jsonBodies.close();
      redis?.disconnect();
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

/** Of one network: the calls need no credential, and read the database. */
const PUBLIC_READS_PER_MINUTE = 600;

/** A page of the portal, or a script that starts, sends some hundred requests at once. */
const KEPT_REQUEST_SECONDS = 10;

/**
 * What is limited by time, and what is limited by space. Where there is Redis, all API processes count together, but for
 * what protects the event loop of one.
 */
function openRates(
  { config, database, log }: Context,
  redis: Redis | null,
): Pick<
  ApiContext,
  | 'requestRate'
  | 'refusedCallers'
  | 'machineRate'
  | 'importRate'
  | 'publicRate'
  | 'tokenExchange'
  | 'storageQuota'
> {
  return {
    requestRate: new FairRate({
      what: 'requests',
      perSecond: config.sharing.maxRequestsPerSecondPerOrganization,
      keptSeconds: KEPT_REQUEST_SECONDS,
    }),
    refusedCallers: new RefusedCallers(),
    machineRate: new MachineRate(config.machineAccess, redis),
    importRate: new ImportRate(config.imports.maxImportsPerMinute, redis),
    publicRate: new RateLimit('public-reads', PUBLIC_READS_PER_MINUTE, redis),
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

/** A page with many images, or a client that downloads a whole package, waits for its turns. */
const WAITING_DOWNLOADS = { maxWaitingPerOwner: 256, maxWaitMs: 5_000 };

type Slots = Pick<
  ApiContext,
  'arrivals' | 'turns' | 'uploadSlots' | 'exportSlots' | 'downloadSlots' | 'eventSlots' | 'streamSlots'
>;

function openSlots({ imports, sharing, streams }: Config): Slots {
  return {
    arrivals: new FairTurns(),
    turns: new FairTurns(),
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
  redis.on('error', (error: Error) => log.warn({ err: error }, 'redis connection failed'));
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
