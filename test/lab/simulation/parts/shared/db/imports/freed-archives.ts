import type * as product from '../../../../../../../shared/db/imports/freed-archives.ts';
import { simulated } from '../../../../simulated-database.ts';

export * from '../../../../../../../shared/db/imports/freed-archives.ts';

export const freeArchive: typeof product.freeArchive = (database, importId) => {
  const simulation = simulated(database);
  return simulation.run(`free archive ${importId}`, (now) =>
    simulation.server.imports.freeArchive(importId, now),
  );
};

export const freeExpiredArchives: typeof product.freeExpiredArchives = (database, days) => {
  const simulation = simulated(database);
  const { server } = simulation;
  return simulation.run('free expired archives', (now) =>
    server.imports.freeExpiredArchives(days, server.isImportLocked, now),
  );
};

export const releaseFreedArchives: typeof product.releaseFreedArchives = async function* (
  database,
  { moduleId },
) {
  const simulation = simulated(database);
  yield await simulation.run(`release archives of ${moduleId}`, () =>
    simulation.server.imports.releaseFreed(moduleId),
  );
};

export const dueArchives: typeof product.dueArchives = async function* (database, ms) {
  const simulation = simulated(database);
  yield await simulation.run('find due archives', (now) => simulation.server.imports.dueArchives(ms, now));
};

/** The simulation does not report what a collection may remove. */
export const sumDueArchives: typeof product.sumDueArchives = () => Promise.resolve({ archives: 0, bytes: 0 });

export const forgetFreed: typeof product.forgetFreed = (database, archiveKeys) => {
  const simulation = simulated(database);
  return simulation.run('forget freed archives', () => simulation.server.imports.forgetFreed(archiveKeys));
};
