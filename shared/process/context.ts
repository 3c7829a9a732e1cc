import { readFile } from 'node:fs/promises';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Config } from '../config/config.ts';
import { openDatabase, poolUse } from '../db/database.ts';
import type { Database } from '../db/database.ts';
import { schemaReady } from '../db/schema-ready.ts';
import { openQueue } from '../queue/import-queue.ts';
import type { OpenQueue, QueuePlace } from '../queue/import-queue.ts';
import { createLog } from '../telemetry/log.ts';
import type { Log } from '../telemetry/log.ts';
import { ProcessMetrics } from '../telemetry/process-metrics.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { openTracing } from '../telemetry/tracing.ts';
import type { Tracing } from '../telemetry/tracing.ts';

/** What every part of a process works with. There is one, made at start and passed by argument. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  readonly storage: Storage;
  readonly queue: OpenQueue;
  readonly queuePlace: QueuePlace;
  readonly catalogue: Catalogue;
  readonly processMetrics: ProcessMetrics;
  readonly tracing: Tracing;
  close(): Promise<void>;
}

/** The database that a process of its own needs; `npm start` brings one along, a bare process does not. */
function databaseUrlOf(config: Config): string {
  if (config.database.url !== null) return config.database.url;
  throw new SettingsError(['DATABASE_URL must be set (npm start runs a database of its own)']);
}

/** Opens all parts that the settings name, once the database is at least of this version. */
export async function openContext(
  name: string,
  config: Config,
  log: Log = createLog(name, config.logLevel),
): Promise<Context> {
  const catalogueText =
    config.catalogueFile === null ? undefined : await readFile(config.catalogueFile, 'utf8');
  const catalogue = loadCatalogue(catalogueText);
  const queuePlace: QueuePlace = { redisUrl: config.redisUrl, databaseUrl: databaseUrlOf(config) };
  const database = openDatabase({ url: queuePlace.databaseUrl, poolSize: config.database.poolSize, log });
  await schemaReady(database, (missing) => {
    log.warn({ missing }, 'waiting for the migrate step');
  });
  const storage = await openStorage(config);
  const queue = openQueue(queuePlace, log);
  const tracing = await openTracing(`module-import-${name}`, config.tracing);
  const processMetrics = new ProcessMetrics();
  processMetrics.watchPool('main', () => poolUse(database));
  return {
    config,
    log,
    database,
    storage,
    queue,
    queuePlace,
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
