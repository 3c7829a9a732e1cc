import type * as product from '../../../../../../shared/db/modules/old-revisions.ts';

/** No module of the simulation has so many revisions, and none is deleted for so long. */
export const deleteOldestRevisions: typeof product.deleteOldestRevisions = () => Promise.resolve();
export const deleteRevisionsOfDeletedModules: typeof product.deleteRevisionsOfDeletedModules = () =>
  Promise.resolve(0);
