import type * as product from '../../../../../../../shared/db/modules/write-revision.ts';
import { simulated } from '../../../../simulated-database.ts';

export const writeRevision: typeof product.writeRevision = (database, _keys, next, files, end) => {
  const simulation = simulated(database);
  return simulation.run(
    `write revision ${next.moduleId}/${next.revision}`,
    (now) => simulation.server.registry.writeRevision(next, files, end, now),
    { attempts: [{ runId: end.runId, retries: null, isStart: false }] },
  );
};
