import { auditInsert, type Actor } from '../access/audit-log.ts';
import type { AuditAction } from '../access/models.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { ModuleModel } from './models.ts';
import { RELEASE_HELD } from '../webhooks/deliveries.ts';
import { queryRow } from '../statement.ts';

/*
 * One statement each, which neither an import nor a release of the module delays for longer than its last statement:
 * operators cannot wait. The vendor's audit log shows who it was.
 */
const entryOf = (action: AuditAction) =>
  auditInsert(action, 'changed', {
    moduleId: 'id',
    details:
      "case when quarantine_reason is not null then jsonb_build_object('reason', quarantine_reason) end",
  });

const START = `
  with changed as (
    update modules set quarantined_at = coalesce(quarantined_at, now()), quarantine_reason = :reason,
      release_decided_at_import = newest_import()
    where id = :moduleId and deleted_at is null returning *
  ), recorded as (${entryOf('module.quarantined')}),
  notified as (${changesInsert("'module.quarantined'", 'changed', { moduleId: 'id', organizationId: 'null' })})
  select * from changed`;

const END = `
  with changed as (
    update modules set quarantined_at = null, quarantine_reason = null
    where id = :moduleId and quarantined_at is not null returning *
  ), released as (${RELEASE_HELD})
  ${entryOf('module.quarantineEnded')}`;

/** Puts a module into quarantine, or gives another reason; null where there is no such module. */
export async function quarantineModule(database: Database, moduleId: string, reason: string, actor: Actor) {
  return queryRow<ModuleModel>(database, START, { moduleId, reason, ...actor });
}

/** Ends a quarantine; false where the module is in none. */
export async function endQuarantine(database: Database, moduleId: string, actor: Actor): Promise<boolean> {
  const { rowCount } = await database.raw<{ rowCount: number }>(END, { moduleId, ...actor });
  return rowCount > 0;
}

/** The modules that somebody may know: those of a vendor, or those of a tenant. */
export type KnownModules = { readonly organizationId: string } | { readonly tenantId: string };

/** Why a module is in quarantine; null: it is not, or it is not among those that are known. */
export async function findQuarantineReason(database: Database, moduleId: string, known: KnownModules) {
  const found = await ModuleModel.query(database)
    .findById(moduleId)
    .where(known)
    .whereNull('deletedAt')
    .whereNotNull('quarantinedAt');
  return found?.quarantineReason ?? null;
}

/** The modules in quarantine, newest modules first. */
export async function listQuarantined(database: Database, page: PageRequest): Promise<Page<ModuleModel>> {
  return keysetPage(ModuleModel.query(database).whereNotNull('quarantinedAt'), page);
}
