import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import { auditInsert, writeAudit, type Actor } from './audit-log.ts';
import { changesInsert, recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { InstallationModel } from './models.ts';
import { isSuspended } from './suspension-state.ts';
import type { ModuleKey } from '../modules/models.ts';
import { documentsIn } from '../modules/module-documents.ts';
import { visibleRevision } from '../modules/visible-revision.ts';
import { countRows, lockOrganization, requireWithin, type AddingActor } from '../quota.ts';
import { queryRow } from '../statement.ts';

export type InstallationKey = Pick<InstallationModel, 'organizationId' | 'moduleId'>;

/** An installation, with what decides whether its module needs another consent. */
export class InstallationRow extends InstallationModel {
  /** A list's cursor needs one: within an organization the module's ID identifies an installation, and the other way round. */
  declare id: string;
  /** The revision that the organization sees, and what it requests; null: it sees none any more. */
  declare revision: number | null;
  declare dataAreaIds: readonly string[] | null;
  declare terms: readonly ModuleDocument[];
  declare countryCode: string | null;
  declare isSuspended: boolean;
}

function installationsOf(
  database: Database,
  of: Pick<InstallationKey, 'organizationId'> | Pick<InstallationKey, 'moduleId'>,
) {
  const [scope, id, value] =
    'moduleId' in of
      ? ['module_id', 'organization_id', of.moduleId]
      : ['organization_id', 'module_id', of.organizationId];
  const rows = database.raw(
    `(select i.*, i.${id} as id, r.revision, r.data_area_ids, ${documentsIn('ModuleToS')} as terms, o.country_code,
        ${isSuspended('i.organization_id')} as is_suspended
      from installations i join modules m on m.id = i.module_id
        join organizations o on o.id = i.organization_id
        left join module_revisions r on r.module_id = m.id and r.revision = ${visibleRevision('m', 'i.organization_id')}
      where i.${scope} = :value) as installations`,
    { value },
  );
  return InstallationRow.query(database).from(rows);
}

/** The installations of an organization or of a module, newest first. */
export async function listInstallations(
  database: Database,
  of: Pick<InstallationKey, 'organizationId'> | Pick<InstallationKey, 'moduleId'>,
  page: PageRequest,
): Promise<Page<InstallationRow>> {
  return keysetPage(installationsOf(database, of), page);
}

/** An installation; undefined where the organization does not have the module installed. */
export async function findInstallation(database: Database, { organizationId, moduleId }: InstallationKey) {
  return installationsOf(database, { organizationId }).where({ moduleId }).first();
}

/** What a farmer accepted of what was offered. */
export interface AcceptedOffer {
  readonly accepted: readonly string[];
  readonly offered: readonly string[];
  readonly revision: number;
  /** The same revision where the farmer is known to have seen the offer; null: nothing is known to have been seen. */
  readonly seenRevision: number | null;
  /** The SHA-256 of each accepted terms file. */
  readonly hashes: readonly string[];
  /** The terms that are accepted by this consent. */
  readonly terms: readonly ModuleDocument[];
}

// A row that the statement inserted has no xmax; one that it updated was locked first, and has one. The next check starts
// anew, because the last one was of what the farmer had decided before: two releases may have followed it.
const WRITE = `
  with written as (
    insert into installations (organization_id, module_id, accepted_data_area_ids, offered_data_area_ids,
      offered_revision, seen_revision, reported_revision, accepted_terms, created_by, updated_by)
    values (:organizationId, :moduleId, array(select distinct unnest(:accepted::uuid[]) order by 1), :offered::uuid[],
      :revision, :seenRevision::int, :revision, array(select distinct unnest(:hashes::text[]) order by 1), :subject, :subject)
    on conflict (organization_id, module_id) do update
      set accepted_data_area_ids = excluded.accepted_data_area_ids,
        offered_data_area_ids = excluded.offered_data_area_ids, offered_revision = excluded.offered_revision,
        seen_revision = excluded.seen_revision, reported_revision = excluded.reported_revision,
        accepted_terms = excluded.accepted_terms, pending_revision = null, requests_version = null, updated_by = excluded.updated_by, updated_at = now()
    returning *, xmax = 0 as is_new
  ), consented as (
    insert into consents (id, organization_id, module_id, revision, seen_revision, data_area_ids, terms, given_by, trace_id)
    select gen_random_uuid(), organization_id, module_id, offered_revision, seen_revision, accepted_data_area_ids, :terms::jsonb,
      :subject, :traceId from written
  )
  select accepted_data_area_ids, is_new from written`;

/** Writes an installation and the consent, while the organization is locked; returns whether it is new. @throws QuotaExceededError */
export async function writeInstallation(
  transaction: Database,
  { organizationId, moduleId }: InstallationKey,
  { terms, ...offer }: AcceptedOffer,
  { max, ...actor }: AddingActor,
): Promise<boolean> {
  const values = { organizationId, moduleId, ...offer, ...actor, terms: JSON.stringify(terms) };
  const written = await queryRow<{ acceptedDataAreaIds: string[]; isNew: boolean }>(
    transaction,
    WRITE,
    values,
  );
  if (written === null) throw new Error('an installation was written but not returned');
  const { acceptedDataAreaIds, isNew } = written;
  if (isNew) {
    const count = await countRows(transaction, 'installations', { organizationId });
    requireWithin(count, max, 'installed modules in the organization');
  }
  const type = isNew ? 'installation.created' : 'installation.changed';
  const details = { acceptedDataAreaIds };
  await writeAudit(transaction, actor, { organizationId, moduleId, action: type, details });
  await recordChange(transaction, { type, moduleId, organizationId, subject: details });
  return isNew;
}

/** Uninstalls a module; its rules and alerts stay. False where it was not installed. */
export async function deleteInstallation(
  database: Database,
  { organizationId, moduleId }: InstallationKey,
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    // As a decision about access does: one that meets this would install anew what can no longer be installed.
    await lockOrganization(transaction, organizationId);
    const deleted = await InstallationModel.query(transaction).where({ organizationId, moduleId }).delete();
    if (deleted === 0) return false;
    await writeAudit(transaction, actor, { organizationId, moduleId, action: 'installation.removed' });
    await recordChange(transaction, { type: 'installation.removed', organizationId, moduleId });
    return true;
  });
}

const REMOVED = changesInsert("'installation.removed'", 'removed');

// In the order in which batches of alerts lock installations.
const END_OF_MODULE = `
  with locked as materialized (
    select organization_id from installations where module_id = :moduleId order by organization_id for update
  ), removed as (
    delete from installations i using locked
    where i.module_id = :moduleId and i.organization_id = locked.organization_id
    returning i.module_id, i.organization_id
  ), recorded as (${REMOVED})
  ${auditInsert('installation.removed', 'removed', {
    ...{
      actor: ':owner',
      actorName: '(select name from organizations where id = :ownerId)',
      moduleId: 'module_id',
    },
  })}`;

/**
 * Uninstalls a module that is being deleted, everywhere. The farmers' entries name the vendor's organization as the
 * actor, not the person.
 */
export async function endInstallationsOfModule(
  transaction: Database,
  { organizationId, moduleId }: ModuleKey,
  { traceId, authority }: Actor,
): Promise<void> {
  const owner = `organization ${organizationId}`;
  await transaction.raw(END_OF_MODULE, { moduleId, traceId, authority, owner, ownerId: organizationId });
}

const END_OF_ORGANIZATION = `
  with removed as (
    delete from installations where organization_id = :organizationId returning module_id, organization_id)
  ${REMOVED}`;

export async function endInstallationsOfOrganization(
  database: Database,
  organizationId: string,
): Promise<void> {
  await database.raw(END_OF_ORGANIZATION, { organizationId });
}
