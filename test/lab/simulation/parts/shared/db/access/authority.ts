import type * as product from '../../../../../../../shared/db/access/authority.ts';

export * from '../../../../../../../shared/db/access/authority.ts';

/** Nobody of the simulation is removed. */
export const holds: typeof product.holds = () => Promise.resolve(true);
