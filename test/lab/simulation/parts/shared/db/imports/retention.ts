import type * as product from '../../../../../../../shared/db/imports/retention.ts';
import { simulated } from '../../../../simulated-database.ts';

export const databaseTime: typeof product.databaseTime = (database) =>
  simulated(database).run('read time', (now) => now);

export const dropOldImports: typeof product.dropOldImports = (database, days) => {
  const simulation = simulated(database);
  const { server } = simulation;
  return simulation.run('drop old imports', (now) =>
    server.imports.dropOld(days, server.isImportLocked, now),
  );
};
