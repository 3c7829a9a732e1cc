import type * as product from '../../../../../../shared/db/imports/unfinished-imports.ts';
import { simulated } from '../../../../simulated-database.ts';
import { writeAudit } from '../access/audit-log.ts';

export const failImport: typeof product.failImport = (database, importId, part, failure) => {
  const simulation = simulated(database);
  return simulation.run(
    `fail import ${importId}`,
    (now) => simulation.server.imports.fail(importId, part, failure, now),
    { attempt: { runId: null, retries: null, isStart: false, ...part } },
  );
};

export const failOverdueImports: typeof product.failOverdueImports = (database, seconds, failure) => {
  const simulation = simulated(database);
  const { server } = simulation;
  return simulation.run('fail overdue imports', (now) =>
    server.imports.failOverdue(seconds, failure, server.isImportLocked, now),
  );
};

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

export const countStaleImports: typeof product.countStaleImports = (database, staleMs, atMost) => {
  const simulation = simulated(database);
  return simulation.run('count stale imports', (now) =>
    simulation.server.imports.countStale(staleMs, atMost, now),
  );
};

export const findStaleImports: typeof product.findStaleImports = (database, ...page) => {
  const simulation = simulated(database);
  return simulation.run('find stale imports', () => simulation.server.imports.findStale(...page));
};
