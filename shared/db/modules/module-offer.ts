import type { PartialModelObject } from 'objection';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import { recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { ModuleModel, ownModule, type ModuleKey, type ReleasePolicy } from './models.ts';
import type { AuditAction, AuditDetails } from '../access/models.ts';
import { changeModule, requireRevision } from './releases.ts';

/**
 * Sets whether an import releases its revision at once; false where the organization has no such module.
 * @throws RevisionChangedError
 */
export async function setReleasePolicy(
  database: Database,
  key: ModuleKey,
  releasePolicy: ReleasePolicy,
  actor: Actor,
  expectedRevisions: readonly number[] | null,
): Promise<boolean> {
  const entry = { action: 'module.changed', details: { releasePolicy } } as const;
  return patch(database, key, { releasePolicy }, actor, { ...entry, expectedRevisions });
}

/** Ends new installations; those that exist go on. False where the organization has no such module. */
export async function withdrawModule(database: Database, key: ModuleKey, reason: string, actor: Actor) {
  const withdrawn = { withdrawnReason: reason, withdrawnAt: database.raw('now()') };
  return patch(database, key, withdrawn, actor, { action: 'module.withdrawn', details: { reason } });
}

/** Offers a withdrawn module again; false where the organization has no such module. */
export async function offerModule(database: Database, key: ModuleKey, actor: Actor): Promise<boolean> {
  const offered = { withdrawnReason: null, withdrawnAt: null };
  return patch(database, key, offered, actor, { action: 'module.offered' });
}

/** The advice about a module that farmers should replace. */
export interface Deprecation {
  readonly message: string;
  readonly successorModuleId: string | null;
}

export type DeprecationOutcome = 'changed' | 'missing' | 'successor-missing';

/** Deprecates a module; null ends that. Its successor is another module that its tenant is offered, or the owner's. */
export async function deprecateModule(
  database: Database,
  key: ModuleKey,
  deprecation: Deprecation | null,
  actor: Actor,
): Promise<DeprecationOutcome> {
  const { message = null, successorModuleId = null } = deprecation ?? {};
  if (successorModuleId !== null && !(await isSuccessor(database, key, successorModuleId)))
    return (await ownModule(database, key)) === undefined ? 'missing' : 'successor-missing';
  const deprecatedAt = deprecation === null ? null : database.raw('now()');
  const columns = { deprecatedAt, deprecationMessage: message, successorModuleId };
  const details = {
    ...(message !== null && { message }),
    ...(successorModuleId !== null && { successorModuleId }),
  };
  const isChanged = await patch(database, key, columns, actor, { action: 'module.deprecated', details });
  return isChanged ? 'changed' : 'missing';
}

async function isSuccessor(database: Database, key: ModuleKey, successorId: string): Promise<boolean> {
  if (successorId === key.moduleId) return false;
  const own = await ownModule(database, key);
  if (own === undefined) return false;
  const found = await ModuleModel.query(database)
    .findById(successorId)
    .where({ tenantId: own.tenantId })
    .whereNull('deletedAt');
  if (found === undefined) return false;
  return found.organizationId === key.organizationId || found.currentRevision !== null;
}

/** The entry of a change in the audit log, and the revisions that the module may have. */
interface RecordedChange {
  readonly action: AuditAction;
  readonly details?: AuditDetails;
  readonly expectedRevisions?: readonly number[] | null;
}

async function patch(
  database: Database,
  key: ModuleKey,
  columns: PartialModelObject<ModuleModel>,
  actor: Actor,
  { expectedRevisions = null, ...entry }: RecordedChange,
): Promise<boolean> {
  const changed = await changeModule(database, key, async (transaction) => {
    await requireRevision(transaction, key, expectedRevisions);
    await ModuleModel.query(transaction).findById(key.moduleId).patch(columns);
    await writeAudit(transaction, actor, { ...key, ...entry });
    if (entry.action === 'module.withdrawn')
      await recordChange(transaction, { type: 'revision.withdrawn', moduleId: key.moduleId });
    return true;
  });
  return changed === true;
}
