import type * as product from '../../../../../../../shared/db/imports/failed-imports.ts';
import { simulated } from '../../../../simulated-database.ts';
import { writeAudit } from '../access/audit-log.ts';

export const requeueImport: typeof product.requeueImport = (database, importId, actor) =>
  simulated(database).transaction(async (transaction) => {
    const { server } = simulated(database);
    const row = await simulated(transaction).run(`requeue import ${importId}`, (now) =>
      server.imports.requeue(importId, now),
    );
    if (row === null) return null;
    const { organizationId } = row;
    await writeAudit(transaction, actor, { organizationId, action: 'import.retried', targetId: importId });
    return row;
  });

/** No client of the simulation calls the endpoints of these. */
const notSimulated = () => Promise.reject(new Error('not simulated'));
export const requeueFailed: typeof product.requeueFailed = notSimulated;
export const dismissImport: typeof product.dismissImport = notSimulated;
export const countFailed: typeof product.countFailed = notSimulated;
