import type * as product from '../../../../../../../shared/db/access/audit-log.ts';
import { simulated } from '../../../../simulated-database.ts';

export * from '../../../../../../../shared/db/access/audit-log.ts';

/** A round trip of its transaction: nothing of the protocol reads entries. */
export const writeAudit: typeof product.writeAudit = (transaction) =>
  simulated(transaction).run('write audit', () => undefined);
