import type * as product from '../../../../../../shared/db/leases.ts';
import { simulated } from '../../../simulated-database.ts';

/** In the simulation a task has its row when it is first claimed. */
export const addTasks: typeof product.addTasks = () => Promise.resolve();

export const claimDueTasks: typeof product.claimDueTasks = (database, holder, tasks) => {
  const simulation = simulated(database);
  return simulation.run('claim due tasks', () => simulation.server.leases.claimDue(holder, tasks));
};

export const extendLease: typeof product.extendLease = (database, key, leaseMs) =>
  simulated(database).run(`extend ${key.name}`, () => simulated(database).server.leases.extend(key, leaseMs));

export const returnLease: typeof product.returnLease = (database, key, everyMs) =>
  simulated(database).run(`return ${key.name}`, () =>
    simulated(database).server.leases.giveBack(key, everyMs),
  );
