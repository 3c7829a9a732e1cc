import { auditInsert, writeAudit } from './audit-log.ts';
import type { Actor } from './audit-log.ts';
import type { Database } from '../database.ts';
import { keysetPage } from '../keyset-page.ts';
import type { Page, PageRequest } from '../keyset-page.ts';
import { InstallationModel } from '../models.ts';
import type { ModuleKey } from '../models.ts';
import { lockOfferedModule } from '../modules/offered-module.ts';
import { countRows, lockOrganization, requireWithin } from '../quota.ts';
import type { AddingActor } from '../quota.ts';

/** Which module in which farmer organization. */
export interface InstallationKey {
  readonly organizationId: string;
  readonly moduleId: string;
}

/** An installation, and whether its module requests more than the farmer was offered. */
export interface Installation extends InstallationKey {
  readonly acceptedDataAreaIds: readonly string[];
  readonly consentPending: boolean;
  /** The revision whose data areas the farmer was offered. */
  readonly offeredRevision: number;
  readonly createdBy: string;
  readonly updatedBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The result of a request to install a module. */
export type InstallOutcome =
  | { readonly outcome: 'created' | 'updated'; readonly installation: Installation }
  | { readonly outcome: 'module-missing' }
  /** Positions in the list of accepted data areas that the module does not declare. */
  | { readonly outcome: 'not-declared'; readonly positions: readonly number[] };

/**
 * Installs a module, or changes the data areas that the farmer grants it; null accepts all that the module declares.
 * No import can change the declaration before the installation is written.
 * @throws QuotaExceededError
 */
export async function putInstallation(
  database: Database,
  { organizationId, moduleId }: InstallationKey,
  accepted: readonly string[] | null,
  actor: AddingActor,
): Promise<InstallOutcome> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const offered = await lockOfferedModule(transaction, organizationId, moduleId);
    if (offered === null) return { outcome: 'module-missing' };
    const declared = new Set(offered.dataAreaIds);
    const positions = (accepted ?? []).flatMap((id, position) => (declared.has(id) ? [] : [position]));
    if (positions.length > 0) return { outcome: 'not-declared', positions };
    const columns = {
      organizationId,
      moduleId,
      accepted: accepted ?? offered.dataAreaIds,
      offered: offered.dataAreaIds,
      revision: offered.revision,
      subject: actor.subject,
    };
    const written = await transaction.raw<{ rows: WrittenInstallation[] }>(WRITE, columns);
    const [row] = written.rows;
    if (row === undefined) throw new Error('an installation was written but not returned');
    if (row.isNew) {
      const count = await countRows(transaction, 'installations', { organizationId });
      requireWithin(count, actor.max, 'installed modules in the organization');
    }
    await writeAudit(transaction, actor, {
      organizationId,
      moduleId,
      action: row.isNew ? 'installation.created' : 'installation.changed',
      details: { acceptedDataAreaIds: row.acceptedDataAreaIds },
    });
    return { outcome: row.isNew ? 'created' : 'updated', installation: row };
  });
}

interface WrittenInstallation extends Installation {
  readonly isNew: boolean;
}

/*
 * A row that the statement inserted has no xmax; one that it updated was locked first, and has one. The
 * farmer has just been offered everything that the module declares: no consent is pending.
 */
const WRITE = `
  insert into installations (organization_id, module_id, accepted_data_area_ids, offered_data_area_ids, offered_revision,
    created_by, updated_by)
  values (:organizationId, :moduleId, array(select distinct unnest(:accepted::uuid[]) order by 1), :offered::uuid[],
    :revision, :subject, :subject)
  on conflict (organization_id, module_id) do update
    set accepted_data_area_ids = excluded.accepted_data_area_ids,
      offered_data_area_ids = excluded.offered_data_area_ids, offered_revision = excluded.offered_revision,
      updated_by = excluded.updated_by, updated_at = now()
  returning *, xmax = 0 as is_new, false as consent_pending`;

/** An organization's installations, newest first. */
export async function listInstallations(
  database: Database,
  organizationId: string,
  page: PageRequest,
): Promise<Page<Installation>> {
  return keysetPage(installationsOf(database, organizationId), page);
}

/** An installation; null where the organization does not have the module installed. */
export async function findInstallation(
  database: Database,
  { organizationId, moduleId }: InstallationKey,
): Promise<Installation | null> {
  return (await installationsOf(database, organizationId).where({ moduleId }).first()) ?? null;
}

/** Uninstalls a module; its rules and alerts stay. False where it was not installed. */
export async function deleteInstallation(
  database: Database,
  key: InstallationKey,
  actor: Actor,
): Promise<boolean> {
  const { organizationId, moduleId } = key;
  return database.transaction(async (transaction) => {
    const deleted = await InstallationModel.query(transaction).where({ organizationId, moduleId }).delete();
    if (deleted === 0) return false;
    await writeAudit(transaction, actor, { organizationId, moduleId, action: 'installation.removed' });
    return true;
  });
}

const END_ALL = `
  with removed as (delete from installations where module_id = :moduleId returning organization_id)
  ${auditInsert(
    {
      organizationId: 'organization_id',
      actor: ':owner',
      traceId: ':traceId',
      action: "'installation.removed'",
      moduleId: ':moduleId',
    },
    'removed',
  )}`;

/**
 * Uninstalls a module that is being deleted, everywhere. The farmers' entries name the vendor's organization as the
 * actor: who works there is none of their business.
 */
export async function endInstallationsOfModule(
  transaction: Database,
  { organizationId, moduleId }: ModuleKey,
  { traceId }: Actor,
): Promise<void> {
  await transaction.raw(END_ALL, { moduleId, traceId, owner: `organization ${organizationId}` });
}

class InstallationRow extends InstallationModel {
  /** A list's cursor needs one: within an organization the module's ID identifies an installation. */
  declare id: string;
  declare consentPending: boolean;
}

function installationsOf(database: Database, organizationId: string) {
  const rows = database.raw(
    `(select i.*, i.module_id as id, exists (
        select from jsonb_array_elements_text(r.descriptor -> 'dataAreaIds') declared (id)
        where declared.id::uuid <> all (i.offered_data_area_ids)) as consent_pending
      from installations i join modules m on m.id = i.module_id
        join module_revisions r on r.module_id = m.id and r.revision = m.current_revision
      where i.organization_id = ?) as installations`,
    [organizationId],
  );
  return InstallationRow.query(database).from(rows);
}
