import { endKeysOfModule } from '../access/api-keys.ts';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import { endInstallationsOfModule } from '../access/installations.ts';
import type { Database } from '../database.ts';
import { ModuleModel, ownModule, type ModuleKey } from './models.ts';
import type { FreedArchive } from '../imports/freed-archives.ts';
import { deleteOneRevision, deleteRevisionsOfModule } from './old-revisions.ts';
import { lockModule } from './registry-state.ts';
import { requireRevision } from './releases.ts';
import { endFirstReleaseReviews } from './reviews.ts';
import { followVisibleTexts } from './search-texts.ts';
import { letGoOfScope } from './scopes.ts';

/**
 * Deletes a module: its keys are revoked, its trusted publishers, webhooks and installations deleted, its ID and scope stay
 * the owner's. False where there is none.
 * @throws RevisionChangedError
 */
export async function deleteModule(
  database: Database,
  module: ModuleKey,
  actor: Actor,
  expectedRevisions: readonly number[] | null = null,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    // First, as in an import: an import that has read the module must have ended before it is deleted.
    await lockModule(transaction, module.moduleId);
    await requireRevision(transaction, module, expectedRevisions);
    return deleteLocked(transaction, module, actor);
  });
}

/** Tables whose rows end with their module. Its own row stays, so that no foreign key deletes them. */
const ENDED_WITH_MODULE = ['revision_previewers', 'trusted_publishers', 'webhooks'];

/** Nobody sees a deleted module. Imported anew, it starts as a new one does, but for a quarantine, which operators end. */
const UNRELEASED: Partial<ModuleModel> = {
  currentRevision: null,
  ringRevision: null,
  ringOrganizationIds: [],
  ringPercent: null,
  previewedRevisions: [],
  releasePolicy: 'immediate',
  withdrawnAt: null,
  withdrawnReason: null,
  deprecatedAt: null,
  deprecationMessage: null,
  successorModuleId: null,
};

async function deleteLocked(transaction: Database, module: ModuleKey, actor: Actor): Promise<boolean> {
  const { moduleId } = module;
  const now = transaction.raw('now()');
  const changed = await ownModule(transaction, module).patch({
    ...UNRELEASED,
    deletedAt: now,
    deletedBy: actor.subject,
    updatedAt: now,
    deletedAtImport: transaction.raw('newest_import()'),
  });
  if (changed === 0) return false;
  await followVisibleTexts(transaction, [moduleId]);
  await endFirstReleaseReviews(transaction, { moduleId });
  await letGoOfScope(transaction, moduleId);
  await endKeysOfModule(transaction, module);
  for (const table of ENDED_WITH_MODULE) await transaction(table).where({ moduleId }).delete();
  // After the module's row, which an installation locks first: one that was in progress is visible here.
  await endInstallationsOfModule(transaction, module, actor);
  // What was public stays deleted, also where the module is imported anew. The entries of farmers name it before.
  await transaction('module_revisions')
    .where({ moduleId })
    .update({ releasedAt: null, becameCurrentAt: null });
  await writeAudit(transaction, actor, { ...module, action: 'module.deleted' });
  return true;
}

/**
 * Deletes a module and then all its revisions, a few at a time, also where it was deleted before: a call that was
 * interrupted is repeated. Yields the archives; null where the organization never had the module. A module that is
 * imported anew meanwhile keeps its new revisions.
 */
export async function purgeModule(
  database: Database,
  module: ModuleKey,
  actor: Actor,
  expectedRevisions: readonly number[] | null = null,
): Promise<AsyncGenerator<readonly FreedArchive[]> | null> {
  const { organizationId, moduleId } = module;
  const isOwned = await database.transaction(async (transaction) => {
    await lockModule(transaction, moduleId);
    await requireRevision(transaction, module, expectedRevisions);
    const isDeleted = await deleteLocked(transaction, module, actor);
    const owned = await ModuleModel.query(transaction).findById(moduleId).where({ organizationId });
    if (!isDeleted && owned === undefined) return false;
    await writeAudit(transaction, actor, { ...module, action: 'module.purged' });
    return true;
  });
  return isOwned ? deleteRevisionsOfModule(database, moduleId) : null;
}

export type RevisionDeletion = 'deleted' | 'missing' | 'visible' | 'previewed' | 'only';

/** Deletes a revision of a module that no farmer sees, unless it is the only one: a module without any is nowhere to be seen. */
export async function deleteRevision(
  database: Database,
  module: ModuleKey,
  revision: number,
  actor: Actor,
): Promise<RevisionDeletion> {
  const { moduleId } = module;
  return database.transaction(async (transaction) => {
    await lockModule(transaction, moduleId);
    const owned = await ownModule(transaction, module);
    if (owned === undefined) return 'missing';
    const { currentRevision, ringRevision, previewedRevisions } = owned;
    if ([currentRevision, ringRevision].includes(revision)) return 'visible';
    if (previewedRevisions.includes(revision)) return 'previewed';
    const kept = await transaction('module_revisions')
      .where({ moduleId })
      .limit(2)
      .pluck<number[]>('revision');
    if (kept.length === 1 && kept[0] === revision) return 'only';
    if (!(await deleteOneRevision(transaction, moduleId, revision))) return 'missing';
    await writeAudit(transaction, actor, { ...module, action: 'revision.deleted', details: { revision } });
    return 'deleted';
  });
}

/** The organization that owns a module, also a deleted one; null where nobody ever had it. */
export async function findModuleOwner(database: Database, moduleId: string): Promise<string | null> {
  return (await ModuleModel.query(database).findById(moduleId))?.organizationId ?? null;
}

export async function listModuleIds(database: Database, organizationId: string): Promise<readonly string[]> {
  const rows = await ModuleModel.query(database).where({ organizationId }).select('id');
  return rows.map(({ id }) => id);
}
