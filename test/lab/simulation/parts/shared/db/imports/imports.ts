import type * as product from '../../../../../../../shared/db/imports/imports.ts';
import { simulated } from '../../../../simulated-database.ts';
import { writeAudit } from '../access/audit-log.ts';

export * from '../../../../../../../shared/db/imports/imports.ts';

export const createImports: typeof product.createImports = (database, rows) => {
  const simulation = simulated(database);
  return simulation.run(`insert imports ${rows.map(({ id }) => id).join(' ')}`, (now) =>
    simulation.server.imports.create(rows, now),
  );
};

export const findImport: typeof product.findImport = (database, organizationId, importId) => {
  const simulation = simulated(database);
  return simulation.run('find import', () => simulation.server.imports.find(organizationId, importId));
};

export const findChangedImports: typeof product.findChangedImports = (database, watched) => {
  const simulation = simulated(database);
  return simulation.run('find changed imports', () => simulation.server.imports.findChanged(watched));
};

export const findMissingImports: typeof product.findMissingImports = (database, importIds) => {
  const simulation = simulated(database);
  return simulation.run('find missing imports', () => simulation.server.imports.findMissing(importIds));
};

export const cancelImport: typeof product.cancelImport = (database, organizationId, importId, actor) =>
  simulated(database).transaction(async (transaction) => {
    const { server } = simulated(database);
    const isCancelled = await simulated(transaction).run(`cancel import ${importId}`, (now) =>
      server.imports.cancel(organizationId, importId, now),
    );
    if (isCancelled)
      await writeAudit(transaction, actor, {
        organizationId,
        action: 'import.cancelled',
        targetId: importId,
      });
    return isCancelled;
  });
