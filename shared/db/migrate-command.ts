import { loadMigrationConfig } from '../config/config.ts';
import { createLog } from '../telemetry/log.ts';
import { explained, runCommand } from '../process/run-command.ts';
import { migrate } from './migrate.ts';

const USAGE = `npm run migrate

Brings the database that DATABASE_URL names to this version. The previous version may serve meanwhile.`;

runCommand(USAGE, {}, async () => {
  const { url, setting, logLevel } = loadMigrationConfig();
  const log = createLog('migrate', logLevel);
  const startedMs = performance.now();
  await migrate(url).catch((error: unknown) => {
    throw explained(error, { url, setting });
  });
  log.info({ durationMs: Math.round(performance.now() - startedMs) }, 'database is migrated');
  return 0;
});
