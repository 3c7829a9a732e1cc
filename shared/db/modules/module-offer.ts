import type { PartialModelObject } from 'objection';
import { writeAudit, type Actor } from '../access/audit-log.ts';
import type { ChangeType } from '../changes/change-types.ts';
import { recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { ModuleModel, ownModule, type ModuleKey, type ReleasePolicy } from './models.ts';
import type { AuditAction, AuditDetails } from '../access/models.ts';
import { changeModule, requireRevision } from './releases.ts';

/** A change of a module's row and its entry in the audit log. */
interface OfferChange {
  readonly columns: PartialModelObject<ModuleModel>;
  readonly action: AuditAction;
  readonly details?: AuditDetails;
  /** The event of a state that starts or ends; other changes of it have none. */
  readonly event?: ChangeType | false;
}

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
  const changeOf = (module: ModuleModel): OfferChange | null =>
    module.releasePolicy === releasePolicy
      ? null
      : { columns: { releasePolicy }, action: 'module.changed', details: { releasePolicy } };
  return patch(database, key, actor, changeOf, expectedRevisions);
}

/** Ends new installations; those that exist go on. False where the organization has no such module. */
export async function withdrawModule(
  database: Database,
  key: ModuleKey,
  reason: string,
  actor: Actor,
): Promise<boolean> {
  const action = 'module.withdrawn';
  return patch(database, key, actor, ({ withdrawnAt, withdrawnReason }) => {
    if (withdrawnReason === reason) return null;
    const columns = { withdrawnReason: reason, withdrawnAt: withdrawnAt ?? database.raw('now()') };
    return { columns, action, details: { reason }, event: withdrawnAt === null && action };
  });
}

/** Offers a withdrawn module again; false where the organization has no such module. */
export async function offerModule(database: Database, key: ModuleKey, actor: Actor): Promise<boolean> {
  const action = 'module.offered';
  return patch(database, key, actor, ({ withdrawnAt }) =>
    withdrawnAt === null
      ? null
      : { columns: { withdrawnReason: null, withdrawnAt: null }, action, event: action },
  );
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
  const successorModuleId = deprecation?.successorModuleId ?? null;
  if (successorModuleId !== null && !(await isSuccessor(database, key, successorModuleId)))
    return (await ownModule(database, key)) === undefined ? 'missing' : 'successor-missing';
  const isFound = await patch(database, key, actor, (module) =>
    deprecation === null ? endOfDeprecation(module) : deprecationOf(database, module, deprecation),
  );
  return isFound ? 'changed' : 'missing';
}

function endOfDeprecation({ deprecatedAt }: ModuleModel): OfferChange | null {
  if (deprecatedAt === null) return null;
  const columns = { deprecatedAt: null, deprecationMessage: null, successorModuleId: null };
  return { columns, action: 'module.deprecationEnded', event: 'module.deprecationEnded' };
}

function deprecationOf(
  database: Database,
  module: ModuleModel,
  { message, successorModuleId }: Deprecation,
): OfferChange | null {
  const { deprecatedAt, deprecationMessage } = module;
  if (deprecationMessage === message && module.successorModuleId === successorModuleId) return null;
  const action = 'module.deprecated';
  return {
    columns: {
      deprecatedAt: deprecatedAt ?? database.raw('now()'),
      deprecationMessage: message,
      successorModuleId,
    },
    action,
    details: { message, ...(successorModuleId !== null && { successorModuleId }) },
    event: deprecatedAt === null && action,
  };
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

/** Writes a change of a module, with its entry and its event; null: nothing is written. False: there is no such module. */
async function patch(
  database: Database,
  key: ModuleKey,
  actor: Actor,
  changeOf: (module: ModuleModel) => OfferChange | null,
  expectedRevisions: readonly number[] | null = null,
): Promise<boolean> {
  const isFound = await changeModule(database, key, async (transaction, module) => {
    await requireRevision(transaction, key, expectedRevisions);
    const change = changeOf(module);
    if (change === null) return true;
    const { columns, action, details, event = false } = change;
    const { moduleId } = key;
    await ModuleModel.query(transaction).findById(moduleId).patch(columns);
    await writeAudit(transaction, actor, { ...key, action, details });
    if (event !== false) await recordChange(transaction, { type: event, moduleId });
    return true;
  });
  return isFound === true;
}
