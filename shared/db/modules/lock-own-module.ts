import type { Database } from '../database.ts';
import { ModuleModel, type ModuleKey } from './models.ts';

/** Locks a module until the transaction ends, which serialises changes of what belongs to it; false where the organization has none. */
export async function lockOwnModule(
  transaction: Database,
  { organizationId, moduleId }: ModuleKey,
): Promise<boolean> {
  const owned = await ModuleModel.query(transaction)
    .findById(moduleId)
    .where({ organizationId })
    .whereNull('deletedAt')
    .forNoKeyUpdate();
  return owned !== undefined;
}
