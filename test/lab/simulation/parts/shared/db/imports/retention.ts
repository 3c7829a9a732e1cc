import type * as product from '../../../../../../../shared/db/imports/retention.ts';
import { simulated } from '../../../../simulated-database.ts';

export const databaseTime: typeof product.databaseTime = (database) =>
  simulated(database).run('read time', (now) => now);

export const forgetExpiredArchives: typeof product.forgetExpiredArchives = (database, days) => {
  const simulation = simulated(database);
  const { server } = simulation;
  return simulation.run('forget expired archives', (now) =>
    server.imports.forgetExpiredArchives(days, server.isImportLocked, now),
  );
};

export const forgetFreedArchives: typeof product.forgetFreedArchives = (database, ms) => {
  const simulation = simulated(database);
  return simulation.run('forget freed archives', (now) =>
    simulation.server.imports.forgetFreedArchives(ms, now),
  );
};

export const dropOldImports: typeof product.dropOldImports = (database, days) => {
  const simulation = simulated(database);
  const { server } = simulation;
  return simulation.run('drop old imports', (now) =>
    server.imports.dropOld(days, server.isImportLocked, now),
  );
};
