import type { Database } from '../database.ts';
import { ownModule, type ModuleKey } from './models.ts';

/** Locks a module until the transaction ends, which serialises changes of what belongs to it; false where the organization has none. */
export async function lockOwnModule(transaction: Database, key: ModuleKey): Promise<boolean> {
  return (await ownModule(transaction, key).forNoKeyUpdate()) !== undefined;
}
