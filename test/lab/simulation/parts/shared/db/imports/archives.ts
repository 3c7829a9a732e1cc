import type * as product from '../../../../../../../shared/db/imports/archives.ts';
import { simulated } from '../../../../simulated-database.ts';

export * from '../../../../../../../shared/db/imports/archives.ts';

export const findKnownArchives: typeof product.findKnownArchives = (database, keys) => {
  const simulation = simulated(database);
  return simulation.run('find known archives', () => simulation.server.imports.knownArchives(keys));
};
