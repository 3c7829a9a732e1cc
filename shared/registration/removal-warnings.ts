import type { Database } from '../db/database.ts';
import { countActiveRules, type RegisteredModule } from '../db/modules/registry-state.ts';
import type { Problem } from '../package/problem.ts';
import {
  ALERT_RULES_FOLDER,
  removedCriteria,
  removedMembers,
  type RemovableParts,
} from '../package/removals.ts';

/** Says what an update removes from the module's newest revision, beside whole folders. */
export async function removalWarnings(
  database: Database,
  moduleId: string,
  current: RegisteredModule | null,
  next: RemovableParts,
): Promise<readonly Problem[]> {
  if (current === null || current.descriptor === null) return [];
  const members = removedMembers(current, next);
  const removed = current.criteria.filter((each) => !next.criteria.includes(each));
  if (removed.length === 0) return members;
  // Farmers' rules of criteria that are removed are outdated.
  const { count, isWhole } = await countActiveRules(database, moduleId, removed);
  // That the whole folder is removed has a warning already.
  if (!next.folders.includes(ALERT_RULES_FOLDER) && count === 0) return members;
  const outdated = ` Alert rules of farmers that this outdates: ${isWhole ? '' : 'at least '}${count}.`;
  return [...members, ...removedCriteria(current, next, outdated)];
}
