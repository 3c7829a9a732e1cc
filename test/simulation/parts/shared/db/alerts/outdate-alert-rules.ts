import type * as product from '../../../../../../shared/db/alerts/outdate-alert-rules.ts';

/** No module of the simulation has alert rules. */
export const outdateAlertRules: typeof product.outdateAlertRules = () => Promise.resolve();
