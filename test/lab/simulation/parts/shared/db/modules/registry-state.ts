import type * as product from '../../../../../../../shared/db/modules/registry-state.ts';
import { simulated } from '../../../../simulated-database.ts';

export const lockModule: typeof product.lockModule = (transaction, moduleId) =>
  simulated(transaction).run('lock module', () => undefined, { lock: [`advisory/${moduleId}`] });

export const readRegistryState: typeof product.readRegistryState = (database, _keys, run, subject) => {
  const simulation = simulated(database);
  return simulation.run('read registry', () => simulation.server.registry.readState(run, subject));
};

/** No package of the simulation depends on another module. */
export const findUnknownModules: typeof product.findUnknownModules = () => Promise.resolve([]);

/** No farmer of the simulation has rules of a criterion that a package removes. */
export const countActiveRules: typeof product.countActiveRules = () =>
  Promise.resolve({ count: 0, isWhole: true });
