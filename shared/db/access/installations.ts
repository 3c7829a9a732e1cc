import {
  areAccepted,
  documentsInCountry,
  type ModuleDocument,
} from '../../package/documents/applicable-documents.ts';
import { auditInsert, writeAudit, type Actor } from './audit-log.ts';
import { changesInsert, recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { InstallationModel } from './models.ts';
import type { ModuleKey } from '../modules/models.ts';
import { documentsIn } from '../modules/module-documents.ts';
import { visibleRevision } from '../modules/visible-revision.ts';

/** Which module in which farmer organization. */
export interface InstallationKey {
  readonly organizationId: string;
  readonly moduleId: string;
}

/** What the module needs consent to, in addition to what the farmer decided about. */
export interface PendingConsent {
  /** The revision that needs it. */
  readonly revision: number;
  /** The data areas that the farmer was not offered. */
  readonly dataAreaIds: readonly string[];
  /** The terms of the farmer's country that replace the accepted ones; none if those still apply. */
  readonly terms: readonly ModuleDocument[];
}

/** An installation, and whether its module needs another consent. */
export interface Installation extends InstallationKey {
  readonly acceptedDataAreaIds: readonly string[];
  /** The SHA-256 of each accepted terms file. */
  readonly acceptedTerms: readonly string[];
  readonly pendingConsent: PendingConsent | null;
  /** The revision whose data areas the farmer was offered. */
  readonly offeredRevision: number;
  readonly createdBy: string;
  readonly updatedBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The row of an installation. */
export type StoredInstallation = Omit<Installation, 'pendingConsent'> & {
  readonly offeredDataAreaIds: readonly string[];
};

/** An organization's installations, newest first. */
export async function listInstallations(
  database: Database,
  organizationId: string,
  page: PageRequest,
): Promise<Page<Installation>> {
  const { rows, next } = await keysetPage(installationsOf(database, { organizationId }), page);
  return { rows: rows.map(installationOf), next };
}

/** An installation, as its module's back end sees it. */
export interface ModuleInstallation extends Installation {
  /** The revision that the organization sees; null: none. */
  readonly revision: number | null;
  /** The data areas that the revision declares and the farmer accepted. */
  readonly grantedDataAreaIds: readonly string[];
}

/** Where a module is installed, newest first. */
export async function listModuleInstallations(
  database: Database,
  moduleId: string,
  page: PageRequest,
): Promise<Page<ModuleInstallation>> {
  const { rows, next } = await keysetPage(installationsOf(database, { moduleId }), page);
  return { rows: rows.map(moduleInstallationOf), next };
}

function moduleInstallationOf(row: InstallationRow): ModuleInstallation {
  const declared = row.dataAreaIds ?? [];
  const grantedDataAreaIds = row.acceptedDataAreaIds.filter((id) => declared.includes(id));
  return Object.assign(installationOf(row), { revision: row.revision, grantedDataAreaIds });
}

/** An installation; null where the organization does not have the module installed. */
export async function findInstallation(
  database: Database,
  { organizationId, moduleId }: InstallationKey,
): Promise<Installation | null> {
  const found = await installationsOf(database, { organizationId }).where({ moduleId }).first();
  return found === undefined ? null : installationOf(found);
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
    await recordChange(transaction, { type: 'installation.removed', organizationId, moduleId });
    return true;
  });
}

/** The change of each installation that a part of the statement has removed. */
const REMOVED = changesInsert("'installation.removed'", 'removed');

const END_OF_MODULE = `
  with removed as (delete from installations where module_id = :moduleId returning module_id, organization_id),
  recorded as (${REMOVED})
  ${auditInsert('installation.removed', 'removed', { actor: ':owner', moduleId: 'module_id' })}`;

/**
 * Uninstalls a module that is being deleted, everywhere. The farmers' entries name the vendor's organization as the
 * actor: who works there is none of their business.
 */
export async function endInstallationsOfModule(
  transaction: Database,
  { organizationId, moduleId }: ModuleKey,
  { traceId, authority }: Actor,
): Promise<void> {
  const owner = `organization ${organizationId}`;
  await transaction.raw(END_OF_MODULE, { moduleId, traceId, authority, owner });
}

const END_OF_ORGANIZATION = `
  with removed as (delete from installations where organization_id = ? returning module_id, organization_id)
  ${REMOVED}`;

/** Uninstalls every module of an organization that is being deleted. */
export async function endInstallationsOfOrganization(
  database: Database,
  organizationId: string,
): Promise<void> {
  await database.raw(END_OF_ORGANIZATION, [organizationId]);
}

class InstallationRow extends InstallationModel {
  /** A list's cursor needs one: within an organization the module's ID identifies an installation, and the other way round. */
  declare id: string;
  /** The revision that the organization sees, and what it requests; null: it sees none any more. */
  declare revision: number | null;
  declare dataAreaIds: readonly string[] | null;
  declare terms: readonly ModuleDocument[];
  declare countryCode: string | null;
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
    `(select i.*, i.${id} as id, r.revision, r.data_area_ids, ${documentsIn('ModuleToS')} as terms, o.country_code
      from installations i join modules m on m.id = i.module_id
        join organizations o on o.id = i.organization_id
        left join module_revisions r on r.module_id = m.id and r.revision = ${visibleRevision('m', 'i.organization_id')}
      where i.${scope} = ?) as installations`,
    [value],
  );
  return InstallationRow.query(database).from(rows);
}

function installationOf(row: InstallationRow): Installation {
  return Object.assign(row, { pendingConsent: pendingOf(row) });
}

/** What a revision needs consent to, of a farmer who decided about an earlier one. */
export function pendingOf(
  row: Pick<StoredInstallation, 'offeredDataAreaIds' | 'acceptedTerms'> &
    Pick<InstallationRow, 'revision' | 'dataAreaIds' | 'terms' | 'countryCode'>,
): PendingConsent | null {
  if (row.revision === null || row.dataAreaIds === null) return null;
  const dataAreaIds = row.dataAreaIds.filter((id) => !row.offeredDataAreaIds.includes(id));
  const documents = documentsInCountry(row.terms, row.countryCode);
  const terms = areAccepted(documents, row.acceptedTerms) ? [] : documents;
  if (dataAreaIds.length === 0 && terms.length === 0) return null;
  return { revision: row.revision, dataAreaIds, terms };
}
