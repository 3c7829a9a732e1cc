import { openCatalogue, type Catalogue } from '../catalogue/catalogue.ts';
import type { Config } from '../config/config.ts';
import type { OrganizationLimitValues } from '../config/limit-config.ts';
import { openDatabase, poolUse, type Database, type DatabaseOptions } from '../db/database.ts';
import { OrganizationLimits } from '../db/access/organization-limits.ts';
import { currentDeployment } from '../db/deployments.ts';
import { addKeyChecks, findLockingKeys } from '../db/encryption-key-checks.ts';
import { requireSchema } from '../db/migrate.ts';
import { EncryptionKeys, localKey } from '../encryption/encryption-keys.ts';
import { openReadyQueue, type OpenQueue } from '../queue/import-queue.ts';
import type { QueueConnection } from '../queue/queue-connection.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { ProcessMetrics } from '../telemetry/process-metrics.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { openTracing, type Tracing } from '../telemetry/tracing.ts';
import { changedKeyProblem, lockingKeyProblem } from './key-problems.ts';
import { partReady, type Waiting } from './part-ready.ts';

/** The context of every part of a process. There is one, created at start and passed as an argument. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  /** The deployment whose prefix this process stores objects under. */
  readonly deploymentId: string;
  readonly storage: Storage;
  /** The keys of the values that must not be readable in the database. */
  readonly encryptionKeys: EncryptionKeys;
  readonly organizationLimits: Pick<OrganizationLimits, keyof OrganizationLimits>;
  /** IDs that the database knew at start and the settings lack. A later one is of a rotation that has not come here. */
  readonly missingKeyIds: ReadonlySet<string>;
  readonly queue: OpenQueue;
  readonly queueConnection: QueueConnection;
  readonly catalogue: Catalogue;
  readonly processMetrics: ProcessMetrics;
  readonly tracing: Tracing;
  close(): Promise<void>;
}

/** The database's URL, which a single process needs; only `npm start` runs a database of its own. */
function databaseUrlOf(config: Config): string {
  if (config.database.url !== null) return config.database.url;
  throw new SettingsError(['DATABASE_URL must be set (npm start runs a database of its own)']);
}

/** The parts of a process that need not work yet. */
export type Parts = Omit<Context, 'deploymentId' | 'missingKeyIds' | 'queue' | 'close'>;

/** The options of a process beside its settings. */
export interface ContextOptions extends Pick<DatabaseOptions, 'sharing' | 'times'> {
  readonly log?: Log | undefined;
  /** Its activity while it waits for the database. Without it, it does not wait: a command fails. */
  readonly wait?: (parts: Parts) => Promise<Waiting>;
}

/**
 * Opens all parts that the settings name, when the database has the migrations of this version.
 * @throws PartProblem where the database does not work, and the process does not wait for it; SettingsError for another
 * encryption key than the one that the database knows
 */
export async function openContext(
  name: string,
  config: Config,
  { wait, ...options }: ContextOptions = {},
): Promise<Context> {
  const parts = await openParts(name, config, options);
  const { database, log, encryptionKeys, queueConnection, storage, tracing } = parts;
  const connect = async () => {
    await requireSchema(database, queueConnection.databaseUrl);
    const { changed, missing } = await addKeyChecks(database, encryptionKeys);
    return { deploymentId: await currentDeployment(database), changed, missing };
  };
  const { deploymentId, changed, missing } = await (wait === undefined
    ? connect()
    : partReady(log, 'database', connect, () => wait(parts)));
  requireSameKeys(changed, config);
  await warnOfMissingKeys(database, missing, log);
  const open = () => openReadyQueue(queueConnection, log);
  const queue = await (wait === undefined ? open() : partReady(log, 'queue', open));
  return {
    ...parts,
    deploymentId,
    missingKeyIds: new Set(missing),
    queue,
    async close() {
      await queue.close();
      await database.destroy();
      storage.close();
      await tracing.close();
    },
  };
}

/** @throws SettingsError */
function requireSameKeys(changed: readonly string[], config: Config): void {
  const isOfSettings = config.encryptionKeys.length > 0;
  const problems = changed.map((keyId) => changedKeyProblem(keyId, isOfSettings));
  if (problems.length > 0)
    throw new SettingsError(problems.map(({ problem, advice }) => `${problem} ${advice}`));
}

/** The process starts nevertheless: most calls need none of these values. */
async function warnOfMissingKeys(database: Database, missing: readonly string[], log: Log): Promise<void> {
  try {
    for (const key of await findLockingKeys(database, missing))
      log.warn({ ...key, ...lockingKeyProblem(key) }, 'encryption key missing');
  } catch (error) {
    log.warn({ err: error, keyIds: missing }, 'values of missing encryption keys not counted');
  }
}

async function openParts(
  name: string,
  config: Config,
  { log = createLog(name, config.logLevel), ...databaseOptions }: Omit<ContextOptions, 'wait'>,
): Promise<Parts> {
  const queueConnection: QueueConnection = {
    redisUrl: config.redisUrl,
    databaseUrl: databaseUrlOf(config),
  };
  const { encryptionKeys, catalogue } = await readFiles(config);
  const storage = await openStorage(config);
  const tracing = await openTracing(`module-import-${name}`, config.tracing);
  const database = openDatabase({
    url: queueConnection.databaseUrl,
    poolSize: config.database.poolSize,
    log,
    ...databaseOptions,
  });
  const processMetrics = new ProcessMetrics();
  processMetrics.watchPool('main', () => poolUse(database));
  return {
    ...{ config, log, database, storage, encryptionKeys, queueConnection, catalogue },
    ...{ processMetrics, tracing },
    organizationLimits: new OrganizationLimits(database, standardLimits(config)),
  };
}

function standardLimits({ quotas, imports, sharing }: Config): OrganizationLimitValues {
  const { maxImportsPerMinute } = imports;
  const { maxRequestsPerSecondPerOrganization } = sharing;
  return { ...quotas, maxImportsPerMinute, maxRequestsPerSecondPerOrganization };
}

async function readFiles(config: Config) {
  // In production the settings have a key.
  const [firstKey = await localKey(config.dataDir), ...olderKeys] = config.encryptionKeys;
  return {
    encryptionKeys: new EncryptionKeys([firstKey, ...olderKeys]),
    catalogue: await openCatalogue(config.catalogueFile),
  };
}
