import { readFile } from 'node:fs/promises';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Config } from '../config/config.ts';
import { openDatabase, poolUse } from '../db/database.ts';
import type { Database, DatabaseOptions } from '../db/database.ts';
import { currentDeployment } from '../db/deployments.ts';
import { schemaReady } from '../db/schema-ready.ts';
import { EncryptionKeys } from '../encryption/encryption-keys.ts';
import { localKey } from '../encryption/local-key.ts';
import { openQueue } from '../queue/import-queue.ts';
import type { OpenQueue } from '../queue/import-queue.ts';
import type { QueueConnection } from '../queue/queue-connection.ts';
import { createLog } from '../telemetry/log.ts';
import type { Log } from '../telemetry/log.ts';
import { ProcessMetrics } from '../telemetry/process-metrics.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { openTracing } from '../telemetry/tracing.ts';
import type { Tracing } from '../telemetry/tracing.ts';

/** What every part of a process works with. There is one, created at start and passed as an argument. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  /** Whose prefix this process stores objects under. */
  readonly deploymentId: string;
  readonly storage: Storage;
  /** The keys of what the database must not show. */
  readonly encryptionKeys: EncryptionKeys;
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

/** What a process sets beside the settings. */
export interface ContextOptions extends Pick<DatabaseOptions, 'sharing' | 'times'> {
  readonly log?: Log | undefined;
}

/** Opens all parts that the settings name, when the database has at least this version. */
export async function openContext(
  name: string,
  config: Config,
  { log = createLog(name, config.logLevel), ...databaseOptions }: ContextOptions = {},
): Promise<Context> {
  // In production the settings have a key.
  const [firstKey = await localKey(config.dataDir), ...olderKeys] = config.encryptionKeys;
  const encryptionKeys = new EncryptionKeys([firstKey, ...olderKeys]);
  const catalogueText =
    config.catalogueFile === null ? undefined : await readFile(config.catalogueFile, 'utf8');
  const catalogue = loadCatalogue(catalogueText);
  const queueConnection: QueueConnection = {
    redisUrl: config.redisUrl,
    databaseUrl: databaseUrlOf(config),
  };
  const database = openDatabase({
    url: queueConnection.databaseUrl,
    poolSize: config.database.poolSize,
    log,
    ...databaseOptions,
  });
  await schemaReady(database, (missing) => {
    log.warn({ missing }, 'waiting for the migrate step');
  });
  const deploymentId = await currentDeployment(database);
  const storage = await openStorage(config);
  const queue = openQueue(queueConnection, log);
  const tracing = await openTracing(`module-import-${name}`, config.tracing);
  const processMetrics = new ProcessMetrics();
  processMetrics.watchPool('main', () => poolUse(database));
  return {
    config,
    log,
    database,
    deploymentId,
    storage,
    encryptionKeys,
    queue,
    queueConnection,
    catalogue,
    processMetrics,
    tracing,
    async close() {
      await queue.close();
      await database.destroy();
      storage.close();
      await tracing.close();
    },
  };
}
