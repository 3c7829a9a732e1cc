import { recordPendingConsents } from '../access/record-pending-consents.ts';
import { checkAlertRulesAgain } from '../alerts/check-alert-rules-again.ts';
import type { Database } from '../database.ts';

/**
 * What follows when organizations see another revision of a module than before: rules that do not fit it are outdated,
 * and consents to what is new in it are pending. To be called in the transaction that locks the module's row, with the
 * revisions that any organization saw before.
 */
export async function applyVisibleRevisions(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
): Promise<void> {
  await checkAlertRulesAgain(transaction, moduleId, seenBefore);
  await recordPendingConsents(transaction, moduleId, seenBefore);
}
