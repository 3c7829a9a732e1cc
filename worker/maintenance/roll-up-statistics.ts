import { rollUpImports } from '../../shared/db/statistics/import-hours.ts';
import { rollUpAlerts, countInstallations } from '../../shared/db/statistics/module-statistics.ts';
import type { Context } from '../../shared/process/context.ts';

/** Counts the alerts of modules by day, imports by hour, and installations. A run that is repeated changes nothing. */
export async function rollUpStatistics({
  database,
  config: { retention },
}: Pick<Context, 'database' | 'config'>): Promise<void> {
  await rollUpAlerts(database, retention.statisticsDays);
  await rollUpImports(database);
  await countInstallations(database);
}
