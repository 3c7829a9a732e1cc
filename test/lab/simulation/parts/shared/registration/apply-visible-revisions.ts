import type * as product from '../../../../../../shared/registration/apply-visible-revisions.ts';

/** No module of the simulation has alert rules or installations. */
export const applyVisibleRevisions: typeof product.applyVisibleRevisions = () => Promise.resolve();
