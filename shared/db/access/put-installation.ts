import {
  areAccepted,
  documentsInCountry,
  documentsInLanguage,
  type ModuleDocument,
} from '../../package/documents/applicable-documents.ts';
import { writeAudit } from './audit-log.ts';
import { FORGET_OLDEST_CONSENTS } from './consents.ts';
import { recordChange } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import {
  pendingOf,
  type Installation,
  type InstallationKey,
  type StoredInstallation,
} from './installations.ts';
import { InstallationModel } from './models.ts';
import { findInstallationNeeds, type InstallationNeeds } from '../modules/module-documents.ts';
import { lockOfferedModule, type OfferedModule } from '../modules/offered-module.ts';
import { countRows, lockOrganization, requireWithin, type AddingActor } from '../quota.ts';

/** The result of a request to install a module. */
export type InstallOutcome =
  | { readonly outcome: 'created' | 'updated'; readonly installation: Installation }
  | { readonly outcome: 'module-missing' }
  /** Its vendor has withdrawn it, or an operator has stopped it. */
  | { readonly outcome: 'withdrawn' | 'quarantined'; readonly reason: string }
  /** The IDs of modules that must be installed first. */
  | { readonly outcome: 'dependency-missing'; readonly moduleIds: readonly string[] }
  /** The terms of the farmer's country, which are not the accepted ones. */
  | { readonly outcome: 'terms-changed'; readonly terms: readonly ModuleDocument[] }
  /** Positions in the list of accepted data areas that the module does not declare. */
  | { readonly outcome: 'not-declared'; readonly positions: readonly number[] };

/** What a farmer accepts; null: everything that the module declares, and the terms that apply. */
export interface AcceptedParts {
  readonly dataAreaIds: readonly string[] | null;
  /** The SHA-256 of each terms file. */
  readonly terms: readonly string[] | null;
}

/**
 * Installs a module, or changes what the farmer grants it, and records the consent. Data areas alone leave the terms that
 * were accepted before. No import can change what is accepted before the installation is written.
 * @throws QuotaExceededError
 */
export async function putInstallation(
  database: Database,
  key: InstallationKey,
  accepted: AcceptedParts,
  actor: AddingActor,
): Promise<InstallOutcome> {
  const { organizationId, moduleId } = key;
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const offered = await lockOfferedModule(transaction, organizationId, moduleId);
    if (offered === null) return { outcome: 'module-missing' };
    const declared = new Set(offered.dataAreaIds);
    const positions = (accepted.dataAreaIds ?? []).flatMap((id, position) =>
      declared.has(id) ? [] : [position],
    );
    if (positions.length > 0) return { outcome: 'not-declared', positions };
    const needs = await findInstallationNeeds(transaction, organizationId, {
      moduleId,
      revision: offered.revision,
    });
    const before = await InstallationModel.query(transaction).findOne({ organizationId, moduleId });
    const stopped = before === undefined ? stoppedBy(offered) : null;
    if (stopped !== null) return stopped;
    // An organization that has the module installed can always narrow its access.
    if (before === undefined && needs.missing.length > 0)
      return { outcome: 'dependency-missing', moduleIds: needs.missing };
    const isOnlyAreas = before !== undefined && accepted.dataAreaIds !== null && accepted.terms === null;
    const terms = isOnlyAreas ? [] : acceptedTerms(needs, accepted.terms);
    if (terms === null)
      return { outcome: 'terms-changed', terms: documentsInCountry(needs.terms, needs.countryCode) };
    const written = await transaction.raw<{ rows: WrittenInstallation[] }>(WRITE, {
      ...key,
      accepted: accepted.dataAreaIds ?? offered.dataAreaIds,
      offered: offered.dataAreaIds,
      revision: offered.revision,
      hashes: isOnlyAreas ? before.acceptedTerms : terms.map(({ sha256 }) => sha256),
      terms: JSON.stringify(terms),
      subject: actor.subject,
      traceId: actor.traceId,
    });
    const [row] = written.rows;
    if (row === undefined) throw new Error('an installation was written but not returned');
    await recordWritten(transaction, row, actor);
    const pendingConsent = pendingOf({ ...row, ...offered, ...needs });
    return { outcome: row.isNew ? 'created' : 'updated', installation: { ...row, pendingConsent } };
  });
}

/** Why a module cannot be newly installed; null: it can. */
function stoppedBy({ withdrawnReason, quarantineReason }: OfferedModule): InstallOutcome | null {
  if (quarantineReason !== null) return { outcome: 'quarantined', reason: quarantineReason };
  return withdrawnReason === null ? null : { outcome: 'withdrawn', reason: withdrawnReason };
}

/** The documents that these hashes accept, by default those in English; null: they do not accept the terms that apply. */
function acceptedTerms(
  { terms, countryCode }: InstallationNeeds,
  hashes: readonly string[] | null,
): readonly ModuleDocument[] | null {
  const documents = documentsInCountry(terms, countryCode);
  if (hashes === null) return documentsInLanguage(documents, 'en');
  const known = documents.filter(({ sha256 }) => hashes.includes(sha256));
  const areKnown = hashes.every((hash) => known.some(({ sha256 }) => sha256 === hash));
  return areKnown && areAccepted(documents, hashes) ? known : null;
}

async function recordWritten(
  transaction: Database,
  { organizationId, moduleId, acceptedDataAreaIds, isNew }: WrittenInstallation,
  actor: AddingActor,
): Promise<void> {
  if (isNew) {
    const count = await countRows(transaction, 'installations', { organizationId });
    requireWithin(count, actor.max, 'installed modules in the organization');
  }
  const type = isNew ? 'installation.created' : 'installation.changed';
  const details = { acceptedDataAreaIds };
  await writeAudit(transaction, actor, { organizationId, moduleId, action: type, details });
  await recordChange(transaction, { type, moduleId, organizationId, subject: details });
}

interface WrittenInstallation extends StoredInstallation {
  readonly isNew: boolean;
}

// A row that the statement inserted has no xmax; one that it updated was locked first, and has one.
const WRITE = `
  with written as (
    insert into installations (organization_id, module_id, accepted_data_area_ids, offered_data_area_ids,
      offered_revision, accepted_terms, created_by, updated_by)
    values (:organizationId, :moduleId, array(select distinct unnest(:accepted::uuid[]) order by 1), :offered::uuid[],
      :revision, array(select distinct unnest(:hashes::text[]) order by 1), :subject, :subject)
    on conflict (organization_id, module_id) do update
      set accepted_data_area_ids = excluded.accepted_data_area_ids,
        offered_data_area_ids = excluded.offered_data_area_ids, offered_revision = excluded.offered_revision,
        accepted_terms = excluded.accepted_terms, updated_by = excluded.updated_by, updated_at = now()
    returning *, xmax = 0 as is_new
  ), consented as (
    insert into consents (id, organization_id, module_id, revision, data_area_ids, terms, given_by, trace_id)
    select gen_random_uuid(), organization_id, module_id, offered_revision, accepted_data_area_ids, :terms::jsonb,
      :subject, :traceId from written
  ), forgotten as (${FORGET_OLDEST_CONSENTS}
  )
  select * from written`;
