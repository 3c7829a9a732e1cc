import type * as product from '../../../../../../shared/db/ended-rows.ts';
import { simulated } from '../../../simulated-database.ts';

/** Only the Idempotency-Keys of these rows are simulated. */
export const deleteEndedRows: typeof product.deleteEndedRows = (database) => {
  const simulation = simulated(database);
  return simulation.run('drop expired keys', (now) => simulation.server.imports.dropExpiredKeys(now));
};
