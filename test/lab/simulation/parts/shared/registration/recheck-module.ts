import type * as product from '../../../../../../shared/registration/recheck-module.ts';

/** No module of the simulation has alert rules or installations. */
export const recheckAfterRelease: typeof product.recheckAfterRelease = () => Promise.resolve();
