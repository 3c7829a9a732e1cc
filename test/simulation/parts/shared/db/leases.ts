import type * as product from '../../../../../shared/db/leases.ts';
import { simulated } from '../../../simulated-database.ts';

export const claimLease: typeof product.claimLease = (database, name, everyMs) => {
  const simulation = simulated(database);
  return simulation.run(`claim ${name}`, () => simulation.server.claimLease(name, everyMs));
};
