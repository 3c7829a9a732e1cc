import type * as product from '../../../../../../../shared/db/modules/old-revisions.ts';
import { simulated } from '../../../../simulated-database.ts';

/** No module of the simulation has so many revisions. */
export const deleteOldestRevisions: typeof product.deleteOldestRevisions = () => Promise.resolve();

export const deleteOneRevision: typeof product.deleteOneRevision = (transaction, moduleId, revision) => {
  const simulation = simulated(transaction);
  return simulation.run(`delete revision ${moduleId}/${revision}`, (now) =>
    simulation.server.registry.deleteRevision(moduleId, revision, now),
  );
};

export const deleteRevisionsOfDeletedModules: typeof product.deleteRevisionsOfDeletedModules =
  async function* (database, days) {
    const simulation = simulated(database);
    yield await simulation.run('delete revisions of deleted modules', (now) =>
      simulation.server.registry.deleteOfDeletedModules(days, simulation.server.isModuleLocked, now),
    );
  };

export const deleteOutdatedRevisions: typeof product.deleteOutdatedRevisions = async function* (
  database,
  retention,
) {
  const simulation = simulated(database);
  yield await simulation.run('delete outdated revisions', (now) =>
    simulation.server.registry.deleteOutdated(retention, simulation.server.isModuleLocked, now),
  );
};

export const deleteRevisionsOfModule: typeof product.deleteRevisionsOfModule = async function* (
  database,
  moduleId,
) {
  const simulation = simulated(database);
  yield await simulation.run(`purge module ${moduleId}`, (now) =>
    simulation.server.registry.deleteOfModule(moduleId, now),
  );
};
