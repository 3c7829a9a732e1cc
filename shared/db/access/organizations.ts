import { LRUCache } from 'lru-cache';
import { writeAudit, type Actor } from './audit-log.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { OrganizationModel } from './models.ts';
import { SUSPENSION_COLUMNS, type SuspensionColumns } from './suspension-state.ts';
import { endFirstReleaseReviews } from '../modules/reviews.ts';
import { keysetPage, type PageRequest } from '../keyset-page.ts';
import { atMost } from '../../limits/at-most.ts';

export type { OrganizationKind } from './models.ts';

/** The members of an organization that never change. */
export type Organization = Readonly<Pick<OrganizationModel, 'id' | 'tenantId' | 'kind'>>;

/** The same, with why an operator has suspended it; null: nobody has. */
export type FoundOrganization = Organization & Pick<SuspensionColumns, 'suspensionReason'>;

/** An organization with its suspension. */
export type SuspendableOrganization = OrganizationModel & SuspensionColumns;

/** A deletion and a suspension take effect no later than this. */
const REMEMBERED_MS = 500;

/** Finds organizations and caches them for a moment. */
export class OrganizationDirectory {
  readonly #database: Database;
  readonly #remembered = new LRUCache<string, FoundOrganization>({ ...atMost(10_000), ttl: REMEMBERED_MS });

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<FoundOrganization | null> {
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) return remembered;
    const found = await findOrganization(this.#database, id);
    if (found === null) return null;
    const { tenantId, kind, suspensionReason } = found;
    const organization = { id: found.id, tenantId, kind, suspensionReason };
    this.#remembered.set(id, organization);
    return organization;
  }
}

/** An organization as an operator writes it. */
export interface OrganizationWrite extends Organization {
  readonly name: string;
  /** ISO 3166-1 alpha-2; null removes it, undefined leaves it. */
  readonly countryCode?: string | null;
  /** Whether an operator has checked who it is; undefined leaves it. */
  readonly verified?: boolean;
}

/** Modules read an organization's name, and its country decides which terms it has to accept. */
const REPORT = changesInsert("'installation.changed'", 'installations where organization_id = :id', {
  subject: { acceptedDataAreaIds: 'accepted_data_area_ids' },
});

/** Creates an organization, or changes its name, country or verification; null when it exists with another kind or tenant, or was deleted. */
export async function putOrganization(
  database: Database,
  { id, tenantId, kind, name, ...given }: OrganizationWrite,
  actor: Actor,
): Promise<{ organization: OrganizationModel; created: boolean } | null> {
  const by = actor.subject;
  return database.transaction(async (transaction) => {
    const inserted = await transaction('organizations')
      .insert({
        ...{ id, tenantId, kind, name, createdBy: by, updatedBy: by },
        ...{ countryCode: null, verified: false, ...definedOf(given) },
      })
      .onConflict('id')
      .ignore()
      .returning('id');
    const created = inserted.length === 1;
    const stored = await OrganizationModel.query(transaction).findById(id).forNoKeyUpdate().throwIfNotFound();
    if (stored.kind !== kind || stored.tenantId !== tenantId || stored.deletedAt !== null) return null;
    const before = { countryCode: stored.countryCode, verified: stored.verified };
    const { countryCode, verified } = { ...before, ...definedOf(given) };
    const isReported = stored.name !== name || stored.countryCode !== countryCode;
    if (!created && !isReported && stored.verified === verified) return { organization: stored, created };
    const action = created ? 'organization.created' : 'organization.changed';
    await writeAudit(transaction, actor, {
      organizationId: id,
      action,
      details: {
        name,
        ...(countryCode !== null && { countryCode }),
        ...((verified || stored.verified) && { verified: String(verified) }),
      },
    });
    if (created) return { organization: stored, created };
    if (isReported) await transaction.raw(REPORT, { id });
    if (verified) await endFirstReleaseReviews(transaction, { organizationId: id });
    const changed = { name, countryCode, verified, updatedBy: by, updatedAt: new Date() };
    const organization = await stored.$query(transaction).patchAndFetch(changed);
    return { organization, created };
  });
}

/** The members that an operator gives, without those that stay as they are. */
function definedOf({ countryCode, verified }: Pick<OrganizationWrite, 'countryCode' | 'verified'>) {
  return { ...(countryCode !== undefined && { countryCode }), ...(verified !== undefined && { verified }) };
}

export async function listOrganizations(database: Database, page: PageRequest) {
  const { rows, next } = await keysetPage(withSuspension(database), page);
  return { rows: rows as SuspendableOrganization[], next };
}

/** An organization with its name; null where there is none. */
export async function findOrganization(
  database: Database,
  id: string,
): Promise<SuspendableOrganization | null> {
  const found = await withSuspension(database).findById(id);
  return (found as SuspendableOrganization | undefined) ?? null;
}

function withSuspension(database: Database) {
  return OrganizationModel.query(database)
    .select('organizations.*', database.raw(SUSPENSION_COLUMNS))
    .whereNull('deletedAt');
}

/** Whether an organization was deleted: nobody can create another one with its ID. */
export async function isDeletedOrganization(database: Database, id: string): Promise<boolean> {
  return (await OrganizationModel.query(database).findById(id).whereNotNull('deletedAt')) !== undefined;
}

/** Those of the organizations that exist, by name. */
export async function findOrganizations(database: Database, ids: readonly string[]) {
  return OrganizationModel.query(database)
    .whereRaw('id = any(:ids)', { ids: [...ids] })
    .whereNull('deletedAt')
    .orderBy('name');
}
