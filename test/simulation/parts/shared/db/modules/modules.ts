import type * as product from '../../../../../../shared/db/modules/modules.ts';
import { simulated } from '../../../../simulated-database.ts';
import { writeAudit } from '../access/audit-log.ts';
import { lockModule } from './registry-state.ts';

export * from '../../../../../../shared/db/modules/modules.ts';

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
