import type * as product from '../../../../../../../shared/db/modules/delete-module.ts';
import { simulated } from '../../../../simulated-database.ts';
import { writeAudit } from '../access/audit-log.ts';
import { deleteOneRevision, deleteRevisionsOfModule } from './old-revisions.ts';
import { lockModule } from './registry-state.ts';

export const deleteModule: typeof product.deleteModule = (database, module, actor) =>
  simulated(database).transaction(async (transaction) => {
    await lockModule(transaction, module.moduleId);
    const simulation = simulated(transaction);
    const isDeleted = await simulation.run(`delete module ${module.moduleId}`, (now) =>
      simulation.server.registry.deleteModule(module, actor, now),
    );
    if (isDeleted) await writeAudit(transaction, actor, { ...module, action: 'module.deleted' });
    return isDeleted;
  });

export const purgeModule: typeof product.purgeModule = async (database, module, actor) => {
  const isDeleted = await deleteModule(database, module, actor);
  return isDeleted ? deleteRevisionsOfModule(database, module.moduleId) : null;
};

export const deleteRevision: typeof product.deleteRevision = (database, module, revision, actor) =>
  simulated(database).transaction(async (transaction) => {
    await lockModule(transaction, module.moduleId);
    const simulation = simulated(transaction);
    const current = await simulation.run('read current revision', () =>
      simulation.server.registry.currentRevision(module),
    );
    if (current === null) return 'missing';
    if (current === revision) return 'visible';
    if (!(await deleteOneRevision(transaction, module.moduleId, revision))) return 'missing';
    await writeAudit(transaction, actor, { ...module, action: 'revision.deleted', details: { revision } });
    return 'deleted';
  });
