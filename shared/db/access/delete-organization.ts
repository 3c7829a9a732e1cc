import { changesInsert } from '../changes/record-changes.ts';
import { ENDED_RECORDED } from '../imports/attempts.ts';
import { freeArchivesOf } from '../imports/freed-archives.ts';
import { changeInBatches, inBatches, nextOf } from '../in-batches.ts';
import type { Database } from '../database.ts';
import { OrganizationModel } from './models.ts';
import type { ModuleModel } from '../modules/models.ts';
import { deleteModule } from '../modules/delete-module.ts';
import { AS_THEY_ARE, eraseStructures } from '../structures/write-structures.ts';
import { programActor, writeAudit, type Actor } from './audit-log.ts';
import { endInstallationsOfOrganization } from './installations.ts';
import { onlyRow, queryRows } from '../statement.ts';

export type OrganizationDeletion =
  | { readonly outcome: 'deleted' | 'missing' }
  /** The number of installations of its modules in other organizations. */
  | { readonly outcome: 'in-use'; readonly installations: number };

/**
 * Deletes an organization: from now on nobody can call as it, and no key of it works. Workers delete the rest in pieces
 * (`clearOrganization`). Where others have its modules installed, nothing happens, unless these are to be uninstalled.
 */
export async function deleteOrganization(
  database: Database,
  organizationId: string,
  mayUninstall: boolean,
  actor: Actor,
): Promise<OrganizationDeletion> {
  return database.transaction(async (transaction) => {
    const found = await OrganizationModel.query(transaction)
      .findById(organizationId)
      .whereNull('deletedAt')
      .forNoKeyUpdate();
    if (found === undefined) return { outcome: 'missing' };
    const installations = mayUninstall ? 0 : await countInstallations(transaction, organizationId);
    if (installations > 0) return { outcome: 'in-use', installations };
    const { subject: deletedBy, traceId: deletionTraceId } = actor;
    await found
      .$query(transaction)
      .patch({ deletedAt: transaction.raw('now()'), deletedBy, deletionTraceId });
    await endAccess(transaction, organizationId);
    await writeAudit(transaction, actor, {
      organizationId,
      action: 'organization.deleted',
      details: { name: found.name },
    });
    return { outcome: 'deleted' };
  });
}

async function countInstallations(transaction: Database, organizationId: string): Promise<number> {
  const { n } = await onlyRow<{ n: number }>(
    transaction,
    `select count(*)::int as n from installations i join modules m on m.id = i.module_id
     where m.organization_id = :organizationId and i.organization_id <> :organizationId`,
    { organizationId },
  );
  return n;
}

/** Ends what grants access to others, or to the organization's data. */
async function endAccess(database: Database, organizationId: string): Promise<void> {
  await database('api_keys')
    .where({ organizationId })
    .whereNull('revokedAt')
    .update({ revokedAt: database.fn.now() });
  await database('trusted_publishers').where({ organizationId }).delete();
  await database('webhooks').where({ organizationId }).delete();
  await endInstallationsOfOrganization(database, organizationId);
  for (const table of ['members', 'people', 'organization_groups', 'invitations'])
    await database(table).where({ organizationId }).delete();
}

/** A deleted organization of which something may be left. */
export type UnclearedOrganization = Readonly<Record<'id' | 'deletedBy' | 'deletionTraceId', string>>;

const UNCLEARED = `
  select id, deleted_by, deletion_trace_id from organizations
  where deleted_at is not null and cleared_at is null and (:id::uuid is null or id = :id) order by random()`;

/** The deleted organizations of which something may be left, or the one of this ID if it is such. */
export async function findUncleared(database: Database, id: string | null = null) {
  return queryRows<UnclearedOrganization>(database, UNCLEARED, { id });
}

// Also those that run: no attempt follows one that failed or whose worker died. An attempt that still runs ends nothing.
const CANCEL = `
  with ended as (
    update imports set status = 'cancelled', run_id = null, finished_at = now(), updated_at = now(), version = version + 1
    where ${nextOf('imports', "organization_id = :organizationId and status in ('queued', 'running')")} returning *
  ), notified as (${ENDED_RECORDED})
  select id from ended`;

const deleteOf = (table: string) =>
  `delete from ${table} where ${nextOf(table, 'organization_id = :organizationId')}`;

const DELETE_RULES = `
  with deleted as (${deleteOf('alert_rules')} returning id, organization_id, module_id)
  ${changesInsert("'rule.deleted'", 'deleted', { subject: { ruleId: 'id' } })}`;

const CLEARED = `
  update organizations set cleared_at = now()
  where id = :organizationId and deleted_at < now() - :longestUploadMs * interval '1 millisecond'
    and not exists (
      select from imports where organization_id = :organizationId and (
        status in ('queued', 'running') or archive_key is not null))
    and not exists (select from modules where organization_id = :organizationId and deleted_at is null)`;

/**
 * Deletes what belongs to a deleted organization, and cancels its imports, but for what imports that still run may add. It is
 * repeated until an upload that started before the deletion must have ended; an interrupted run is continued by the next one.
 */
export async function clearOrganization(
  database: Database,
  { id: organizationId, deletedBy, deletionTraceId }: UnclearedOrganization,
  longestUploadMs: number,
): Promise<void> {
  const actor = programActor(deletedBy, deletionTraceId);
  const cancelled = inBatches(database, CANCEL, { organizationId });
  while ((await cancelled.next()).done !== true);
  for await (const { id: moduleId } of remainingModules(database, organizationId))
    await deleteModule(database, { organizationId, moduleId }, actor);
  await endAccess(database, organizationId);
  await eraseStructures(database, organizationId, actor, AS_THEY_ARE);
  for (const table of ['alerts', 'idempotency_keys', 'key_requests', 'data_reads', 'reviews'])
    await changeInBatches(database, deleteOf(table), { organizationId });
  await changeInBatches(database, DELETE_RULES, { organizationId });
  const uploads = freeArchivesOf(database, organizationId, null);
  while ((await uploads.next()).done !== true);
  await database.raw(CLEARED, { organizationId, longestUploadMs });
}

const MODULES_AT_ONCE = 100;

async function* remainingModules(
  database: Database,
  organizationId: string,
): AsyncGenerator<Pick<ModuleModel, 'id'>> {
  for (;;) {
    const found = await database('modules')
      .where({ organizationId })
      .whereNull('deletedAt')
      .limit(MODULES_AT_ONCE)
      .select<Pick<ModuleModel, 'id'>[]>('id');
    yield* found;
    if (found.length < MODULES_AT_ONCE) return;
  }
}
