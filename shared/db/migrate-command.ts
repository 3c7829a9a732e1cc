import { loadMigrationConfig } from '../config/config.ts';
import { createLog } from '../telemetry/log.ts';
import { runProcess } from '../process/run-process.ts';
import { migrate } from './migrate.ts';

/** `npm run migrate`: brings the database that `DATABASE_URL` names to this version, and ends. */
runProcess(async () => {
  const { url, logLevel } = loadMigrationConfig();
  const log = createLog('migrate', logLevel);
  const startedMs = performance.now();
  await migrate(url);
  log.info({ durationMs: Math.round(performance.now() - startedMs) }, 'database is migrated');
  return { stop: () => Promise.resolve() };
});
