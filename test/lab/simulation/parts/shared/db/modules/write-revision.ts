import type * as product from '../../../../../../../shared/db/modules/write-revision.ts';
import { simulated } from '../../../../simulated-database.ts';

export const FILES_PER_STATEMENT = 1_000;
export const REVISIONS_PER_STATEMENT = 16;

export const revisionWrite: typeof product.revisionWrite = (_keys, write) => ({ ...write, row: '' });

export const writeRevisions: typeof product.writeRevisions = (database, writes) => {
  const simulation = simulated(database);
  return simulation.run(
    `write revisions ${writes.map(({ next }) => `${next.moduleId}/${next.revision}`).join(' ')}`,
    (now) => writes.map((write) => simulation.server.registry.writeRevision(write, now)),
    {
      attempts: writes.map(({ next, end }) => ({
        importId: next.importId,
        runId: end.runId,
        retries: null,
        isStart: false,
      })),
    },
  );
};
