import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { JWTVerifyGetKey } from 'jose';
import type { Config } from '../shared/config/config.ts';
import { openContext, type Context } from '../shared/process/context.ts';
import { lockUse, LOCK_TRY_MS } from '../shared/db/connection-sharing.ts';
import { poolUse, type Database } from '../shared/db/database.ts';
import { StructureReader } from '../shared/db/structures/read-structures.ts';
import type { Log } from '../shared/telemetry/log.ts';
import type { ProcessMetrics } from '../shared/telemetry/process-metrics.ts';
import { FairSlots } from '../shared/limits/fair-slots.ts';
import { SettingsError } from '../shared/config/settings-reader.ts';
import type { ApiContext } from './context.ts';
import { makeApiMetrics, type ApiMetrics } from './operations/api-metrics.ts';
import { AccessTokens } from './auth/access-token.ts';
import { Access } from './auth/access.ts';
import { ApiKeys } from './auth/api-key.ts';
import { IssuerClient } from './auth/issuer-client.ts';
import { issuerKeys } from './auth/issuer-keys.ts';
import { SeenPeople } from './auth/seen-people.ts';
import { Sessions } from './auth/sessions.ts';
import { DataReadLog } from './machine-access/data-read-log.ts';
import { KeyRequestLog } from './machine-access/key-request-log.ts';
import { MachineRate } from './machine-access/machine-rate.ts';
import { RateLimit } from './http/limits/rate-limit.ts';
import { openHealth, openHealthDatabase, reportHealth } from './operations/health.ts';
import { reportBacklog, reportWarnings } from './operations/queue-metrics.ts';
import { openAdmission } from './http/limits/admission.ts';
import { openImports } from './imports/open-imports.ts';
import { openModuleFiles } from './modules/open-module-files.ts';
import { JsonBodies } from './http/request/json-bodies.ts';
import { serveWaiting } from './http/server/serve-waiting.ts';
import { Stop } from './http/server/stop.ts';
import { openStructures } from './structures/stream-slots.ts';
import { TokenExchange } from './trusted-publishing/token-exchange.ts';
import { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';
import { NotificationListener } from '../shared/db/notification-listener.ts';
import { IMPORTS_CHANNEL } from '../shared/db/imports/imports.ts';
import { CHANGES_CHANNEL, Notifier } from '../shared/db/notifications.ts';
import { ChangeWaiter } from './changes/change-waiter.ts';
import type { ImportWaiter } from './imports/import-waiter.ts';

const REDIS_READY_MS = 5_000;

/** Opens the API's context. @throws SettingsError if a required setting is missing. */
export async function openApiContext(config: Config, log?: Log): Promise<ApiContext> {
  const { issuer, keys } = issuerOf(config);
  const context = await openContext('api', config, {
    log,
    ...connectionOptions(config),
    wait: (parts) => serveWaiting(parts, issuer),
  });
  const { database, log: processLog, queueConnection } = context;
  const reader = new StructureReader(queueConnection.databaseUrl, processLog, config.streams.snapshotSeconds);
  const healthDatabase = openHealthDatabase(context);
  const metrics = openMetrics(context, reader, healthDatabase);
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, processLog);
  const imports = openImports(context, redis);
  const { close: closeWaiting, ...waiting } = await openWaiting(context, imports.waiter);
  const limits = {
    admission: openAdmission(requestsPerSecond(context)),
    imports,
    moduleFiles: openModuleFiles(context),
    structures: openStructures(database, reader),
    eventSlots: openEventSlots(config),
    jsonBodies: new JsonBodies(config),
  };
  const { close: closeCallers, ...callers } = openCallers(context, metrics, issuer, keys);
  watchLimits(context.processMetrics, { database, ...limits });
  return {
    ...{ ...context, ...limits, ...waiting, ...callers },
    machineRate: new MachineRate(config.machineAccess, redis),
    tokenExchange: new TokenExchange({ database, log: processLog, redis }, config.outbound),
    ...openRates(redis),
    applicationOrigins: config.applications.port === null ? null : config.applications.origins,
    health: reportHealth(context.processMetrics, openHealth(context, healthDatabase, issuer)),
    metrics,
    stop: new Stop(),
    redis,
    async close() {
      await closeWaiting();
      await closeCallers();
      await limits.jsonBodies.close();
      redis?.disconnect();
      await reader.close();
      await healthDatabase.destroy();
      await context.close();
    },
  };
}

/** The issuer and its keys. Only `npm start` runs an issuer of its own. */
function issuerOf({ auth: { issuer } }: Config) {
  if (issuer !== null) return { issuer, keys: issuerKeys(issuer) };
  throw new SettingsError(['AUTH_ISSUER must be set (npm start runs a development issuer)']);
}

function requestsPerSecond({ organizationLimits }: Context) {
  return (organizationId: string) =>
    organizationLimits.recall(organizationId).maxRequestsPerSecondPerOrganization;
}

/** What knows the callers of requests. */
function openCallers(
  context: Context,
  { keyChecks }: ApiMetrics,
  issuer: string,
  keys: JWTVerifyGetKey,
): Pick<
  ApiContext,
  'access' | 'apiKeys' | 'seenPeople' | 'keyRequests' | 'dataReads' | 'sessions' | 'close'
> {
  const { config, database, log } = context;
  const { auth, portal } = config;
  const apiKeys = new ApiKeys(database, log, keyChecks);
  const seenPeople = new SeenPeople(database, log);
  const keyRequests = new KeyRequestLog(database, log);
  const dataReads = new DataReadLog(database, log);
  const sessions =
    portal === null ? null : new Sessions(context, new IssuerClient(issuer, portal, keys), portal.sessions);
  return {
    access: new Access(new AccessTokens({ ...auth, issuer }, log, keys), database, seenPeople),
    apiKeys,
    seenPeople,
    keyRequests,
    dataReads,
    sessions,
    async close() {
      await sessions?.close();
      await apiKeys.close();
      await seenPeople.close();
      await keyRequests.close();
      await dataReads.close();
    },
  };
}

/** For one network: the calls need no credential, and read the database. */
const PUBLIC_READS_PER_MINUTE = 600;
/** For one organization: GitHub answers 60 such calls in an hour. */
const CLAIMS_PER_MINUTE = 10;

function openRates(redis: Redis | null): Pick<ApiContext, 'publicRate' | 'claimsRate'> {
  return {
    publicRate: new RateLimit('public-reads', PUBLIC_READS_PER_MINUTE, redis),
    claimsRate: new RateLimit('publisher-claims', CLAIMS_PER_MINUTE, redis),
  };
}

function connectionOptions({ database }: Config) {
  const { waitSeconds, lockSeconds, statementSeconds } = database;
  return {
    sharing: { maxWaitMs: waitSeconds * 1_000, maxLockMs: lockSeconds * 1_000 },
    times: { lockMs: LOCK_TRY_MS, statementMs: statementSeconds * 1_000 },
  };
}

function openEventSlots({ streams }: Config): FairSlots {
  const { maxEventStreams: max, maxEventStreamsPerOrganization: maxPerOwner } = streams;
  return new FairSlots({ resource: 'event streams', max, maxPerOwner });
}

type Limits = Pick<
  ApiContext,
  'database' | 'admission' | 'imports' | 'moduleFiles' | 'structures' | 'eventSlots' | 'jsonBodies'
>;

/** Reports the use of everything that organizations share in an API process, but for the pools of connections. */
function watchLimits(metrics: ProcessMetrics, limits: Limits): void {
  const { database, admission, imports, moduleFiles, structures, eventSlots, jsonBodies } = limits;
  metrics.watchLimit('uploads', () => imports.uploadSlots.use());
  metrics.watchLimit('exports', () => moduleFiles.exportSlots.use());
  metrics.watchLimit('downloads', () => moduleFiles.downloadSlots.use());
  metrics.watchLimit('event streams', () => eventSlots.use());
  metrics.watchLimit('structure streams', () => structures.streamSlots.use());
  metrics.watchLimit('KiB of JSON bodies', () => jsonBodies.memoryUse());
  metrics.watchLimit('JSON threads', () => jsonBodies.threadUse());
  metrics.watchLimit('locks', () => lockUse(database));
  metrics.watchLimit('arriving requests', () => admission.arrivals.use());
  metrics.watchLimit('event loop turns', () => admission.turns.use());
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
  reportWarnings(context, healthDatabase);
  return metrics;
}

/** What wakes requests and streams that wait, by the notifications of other processes. */
export async function openWaiting(
  { config, database, log, queueConnection }: Context,
  importWaiter: ImportWaiter,
): Promise<Pick<ApiContext, 'changes' | 'changeWaiter' | 'close'>> {
  const changes = new ChangeSequencer(database, new Notifier(database, CHANGES_CHANNEL, log), log);
  const changeWaiter = new ChangeWaiter(database, changes, log);
  const url = config.database.listenUrl ?? queueConnection.databaseUrl;
  const listener = new NotificationListener(url, log, {
    [IMPORTS_CHANNEL.name]: (message) => importWaiter.notified(message),
    [CHANGES_CHANNEL.name]: (message) => changeWaiter.notice(message.split(',')),
  });
  await listener.start();
  await listener.prove(database).catch((error: unknown) => {
    log.warn({ err: error }, 'notifications do not arrive; waiters poll faster');
    for (const waiter of [importWaiter, changeWaiter]) waiter.pollFaster();
  });
  return {
    changes,
    changeWaiter,
    async close() {
      importWaiter.close();
      changeWaiter.close();
      await listener.close();
      await changes.close();
    },
  };
}
