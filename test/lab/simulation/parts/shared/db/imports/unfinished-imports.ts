import type * as product from '../../../../../../../shared/db/imports/unfinished-imports.ts';
import { simulated } from '../../../../simulated-database.ts';

export * from '../../../../../../../shared/db/imports/unfinished-imports.ts';

export const recordFailure: typeof product.recordFailure = (database, importId, part, failure) => {
  const simulation = simulated(database);
  return simulation.run(
    `record failure of import ${importId}`,
    (now) => simulation.server.imports.recordFailure(importId, part, failure, now),
    { attempts: [{ runId: null, retries: null, isStart: false, ...part }] },
  );
};

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
