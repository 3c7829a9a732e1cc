import type { Database } from '../../shared/db/database.ts';
import {
  findInstallation,
  writeInstallation,
  type AcceptedOffer,
  type InstallationKey,
  type InstallationRow,
} from '../../shared/db/access/installations.ts';
import {
  compareRevisions,
  REVISION_PARTS,
  type RevisionChanges,
  type RevisionPart,
} from '../../shared/db/modules/changed-parts.ts';
import { findInstallationNeeds, type InstallationNeeds } from '../../shared/db/modules/module-documents.ts';
import { lockOfferedModule, type OfferedModule } from '../../shared/db/modules/offered-module.ts';
import { lockOrganization, type AddingActor } from '../../shared/db/quota.ts';
import {
  areAccepted,
  documentsInCountry,
  documentsInLanguage,
  type ModuleDocument,
} from '../../shared/package/documents/applicable-documents.ts';
import {
  matchOffer,
  NAMED_PARTS,
  type OfferChange,
  type OfferMatch,
} from '../available-modules/offer-tag.ts';

/** Why a module cannot be installed. */
export type InstallRefusal =
  | { readonly outcome: 'module-missing' }
  /** Its vendor has withdrawn it, or an operator has stopped it. */
  | { readonly outcome: 'withdrawn' | 'quarantined'; readonly reason: string }
  /** The offer is not the one that the farmer saw; no changes: the farmer saw none of this module. */
  | {
      readonly outcome: 'offer-changed';
      readonly revision: number;
      readonly changes: RevisionChanges | null;
    }
  /** The IDs of modules that must be installed first. */
  | { readonly outcome: 'dependency-missing'; readonly moduleIds: readonly string[] }
  /** The terms of the farmer's country, which are not the accepted ones. */
  | { readonly outcome: 'terms-changed'; readonly terms: readonly ModuleDocument[] }
  /** Positions in the list of accepted data areas that the module does not declare. */
  | { readonly outcome: 'not-declared'; readonly positions: readonly number[] };

/** What a farmer accepts; null: everything that the module declares, and the terms that were seen or else apply. */
export interface AcceptedParts {
  readonly dataAreaIds: readonly string[] | null;
  /** The SHA-256 of each terms file. */
  readonly terms: readonly string[] | null;
  /** The entity tags of the offers that the farmer may have seen; empty: none is named, and any offer is accepted. */
  readonly offerTags: readonly string[];
}

/** An offer, and the installation that it is for. */
interface Decision {
  readonly offered: OfferedModule;
  /** With the terms for the farmer's country. */
  readonly needs: InstallationNeeds;
  /** Null: the module is not installed yet. */
  readonly before: InstallationRow | null;
  /** Null: nothing is known to have been seen. */
  readonly seenTerms: readonly ModuleDocument[] | null;
}

/**
 * Installs a module, or changes what the farmer grants it, and records the consent. Data areas alone leave the terms that
 * were accepted before. No import or release can change what is accepted before the installation is written, and no
 * operator the country that decides about its terms.
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
    const before = (await findInstallation(transaction, key)) ?? null;
    // An organization that has the module installed can always narrow its access.
    const stop = before === null ? stopOf(offered) : null;
    if (stop !== null) return stop;
    const needs = await findInstallationNeeds(transaction, key, offered.revision);
    const match = matchWithSeen(key.moduleId, offered, needs, accepted.offerTags);
    if ('change' in match) {
      const changes = match.change && (await changesOf(transaction, key.moduleId, match.change, offered));
      return { outcome: 'offer-changed', revision: offered.revision, changes };
    }
    const decided = decide({ offered, needs, before, ...match }, accepted);
    if ('outcome' in decided) return decided;
    const isNew = await writeInstallation(transaction, key, decided, actor);
    const installation = await findInstallation(transaction, key);
    if (installation === undefined) throw new Error('an installation was written but not found');
    return { isNew, installation };
  });
}

/** Why a module cannot be newly installed, whatever was seen of it; null: it can. */
function stopOf({ withdrawnReason, quarantineReason }: OfferedModule): InstallRefusal | null {
  if (quarantineReason !== null) return { outcome: 'quarantined', reason: quarantineReason };
  return withdrawnReason === null ? null : { outcome: 'withdrawn', reason: withdrawnReason };
}

function matchWithSeen(
  moduleId: string,
  { revision, dataAreaIds }: OfferedModule,
  { terms, privacy, subscriptionOptions, countryCode }: InstallationNeeds,
  tags: readonly string[],
): OfferMatch | { readonly seenTerms: null } {
  if (tags.length === 0) return { seenTerms: null };
  return matchOffer(tags, {
    ...{ moduleId, revision, dataAreaIds, subscriptionOptions },
    terms: documentsInCountry(terms, countryCode),
    privacy: documentsInCountry(privacy, countryCode),
  });
}

/** The parts that the entity tag names, and the others as far as the revision that was seen is kept. */
async function changesOf(
  transaction: Database,
  moduleId: string,
  { seenRevision, parts }: OfferChange,
  { revision }: OfferedModule,
): Promise<RevisionChanges> {
  const compared = await compareRevisions(transaction, moduleId, seenRevision, revision);
  const named: readonly RevisionPart[] = NAMED_PARTS;
  const changed = new Set([...parts, ...(compared?.parts.filter((part) => !named.includes(part)) ?? [])]);
  return {
    sinceRevision: seenRevision,
    sinceVendorVersion: compared?.sinceVendorVersion ?? null,
    parts: REVISION_PARTS.filter((part) => changed.has(part)),
    addedDataAreaIds: compared?.addedDataAreaIds ?? [],
    removedDataAreaIds: compared?.removedDataAreaIds ?? [],
  };
}

/** What is written, or why it cannot be. */
function decide(
  { offered, needs, before, seenTerms }: Decision,
  accepted: AcceptedParts,
): AcceptedOffer | InstallRefusal {
  const positions = undeclared(offered, accepted);
  if (positions.length > 0) return { outcome: 'not-declared', positions };
  if (before === null && needs.missing.length > 0)
    return { outcome: 'dependency-missing', moduleIds: needs.missing };
  const isOnlyAreas = before !== null && accepted.dataAreaIds !== null && accepted.terms === null;
  const applicable = documentsInCountry(needs.terms, needs.countryCode);
  const terms = isOnlyAreas ? [] : acceptedTerms(applicable, seenTerms, accepted.terms);
  if (terms === null) return { outcome: 'terms-changed', terms: applicable };
  return {
    accepted: accepted.dataAreaIds ?? offered.dataAreaIds,
    offered: offered.dataAreaIds,
    revision: offered.revision,
    seenRevision: seenTerms === null ? null : offered.revision,
    hashes: isOnlyAreas ? before.acceptedTerms : terms.map(({ sha256 }) => sha256),
    terms,
  };
}

/** The positions of accepted data areas that the module does not declare. */
function undeclared({ dataAreaIds }: OfferedModule, accepted: AcceptedParts): readonly number[] {
  const declared = new Set(dataAreaIds);
  return (accepted.dataAreaIds ?? []).flatMap((id, position) => (declared.has(id) ? [] : [position]));
}

/** The documents that these hashes accept, by default those that were seen, else those in English; null: not those that apply. */
function acceptedTerms(
  applicable: readonly ModuleDocument[],
  seenTerms: readonly ModuleDocument[] | null,
  hashes: readonly string[] | null,
): readonly ModuleDocument[] | null {
  if (hashes === null) return seenTerms ?? documentsInLanguage(applicable, 'en');
  const known = applicable.filter(({ sha256 }) => hashes.includes(sha256));
  const areKnown = hashes.every((hash) => known.some(({ sha256 }) => sha256 === hash));
  return areKnown && areAccepted(applicable, hashes) ? known : null;
}
