import type { Database } from '../../shared/db/database.ts';
import {
  findInstallation,
  writeInstallation,
  type InstallationKey,
  type InstallationRow,
} from '../../shared/db/access/installations.ts';
import { findInstallationNeeds, type InstallationNeeds } from '../../shared/db/modules/module-documents.ts';
import { lockOfferedModule, type OfferedModule } from '../../shared/db/modules/offered-module.ts';
import { lockOrganization, type AddingActor } from '../../shared/db/quota.ts';
import {
  areAccepted,
  documentsInCountry,
  documentsInLanguage,
  type ModuleDocument,
} from '../../shared/package/documents/applicable-documents.ts';

/** Why a module cannot be installed. */
export type InstallRefusal =
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
export async function installModule(
  database: Database,
  key: InstallationKey,
  accepted: AcceptedParts,
  actor: AddingActor,
): Promise<{ readonly isNew: boolean; readonly installation: InstallationRow } | InstallRefusal> {
  return database.transaction(async (transaction) => {
    await lockOrganization(transaction, key.organizationId);
    const offered = await lockOfferedModule(transaction, key.organizationId, key.moduleId);
    if (offered === null) return { outcome: 'module-missing' };
    const positions = undeclared(offered, accepted);
    if (positions.length > 0) return { outcome: 'not-declared', positions };
    const needs = await findInstallationNeeds(transaction, key, offered.revision);
    const before = await findInstallation(transaction, key);
    // An organization that has the module installed can always narrow its access.
    const refusal = before === undefined ? refusalOf(offered, needs) : null;
    if (refusal !== null) return refusal;
    const isOnlyAreas = before !== undefined && accepted.dataAreaIds !== null && accepted.terms === null;
    const terms = isOnlyAreas ? [] : acceptedTerms(needs, accepted.terms);
    if (terms === null)
      return { outcome: 'terms-changed', terms: documentsInCountry(needs.terms, needs.countryCode) };
    const offer = {
      accepted: accepted.dataAreaIds ?? offered.dataAreaIds,
      offered: offered.dataAreaIds,
      revision: offered.revision,
      hashes: isOnlyAreas ? before.acceptedTerms : terms.map(({ sha256 }) => sha256),
      terms,
    };
    const isNew = await writeInstallation(transaction, key, offer, actor);
    const installation = await findInstallation(transaction, key);
    if (installation === undefined) throw new Error('an installation was written but not found');
    return { isNew, installation };
  });
}

/** The positions of accepted data areas that the module does not declare. */
function undeclared({ dataAreaIds }: OfferedModule, accepted: AcceptedParts): readonly number[] {
  const declared = new Set(dataAreaIds);
  return (accepted.dataAreaIds ?? []).flatMap((id, position) => (declared.has(id) ? [] : [position]));
}

/** Why a module cannot be newly installed; null: it can. */
function refusalOf(
  { withdrawnReason, quarantineReason }: OfferedModule,
  { missing }: InstallationNeeds,
): InstallRefusal | null {
  if (quarantineReason !== null) return { outcome: 'quarantined', reason: quarantineReason };
  if (withdrawnReason !== null) return { outcome: 'withdrawn', reason: withdrawnReason };
  return missing.length > 0 ? { outcome: 'dependency-missing', moduleIds: missing } : null;
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
