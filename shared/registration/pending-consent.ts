import type { InstallationRow } from '../db/access/installations.ts';
import {
  areAccepted,
  documentsInCountry,
  type ModuleDocument,
} from '../package/documents/applicable-documents.ts';

/** What the module needs consent to, in addition to what the farmer decided about. */
export interface PendingConsent {
  /** The revision that needs it. */
  readonly revision: number;
  /** The data areas that the farmer was not offered. */
  readonly dataAreaIds: readonly string[];
  /** The terms of the farmer's country that replace the accepted ones; none if those still apply. */
  readonly terms: readonly ModuleDocument[];
}

/** What a revision needs consent to, of a farmer who decided about an earlier one; null: nothing. */
export function pendingConsentOf(
  row: Pick<
    InstallationRow,
    'offeredDataAreaIds' | 'acceptedTerms' | 'revision' | 'dataAreaIds' | 'terms' | 'countryCode'
  >,
): PendingConsent | null {
  if (row.revision === null || row.dataAreaIds === null) return null;
  const dataAreaIds = row.dataAreaIds.filter((id) => !row.offeredDataAreaIds.includes(id));
  const documents = documentsInCountry(row.terms, row.countryCode);
  const terms = areAccepted(documents, row.acceptedTerms) ? [] : documents;
  if (dataAreaIds.length === 0 && terms.length === 0) return null;
  return { revision: row.revision, dataAreaIds, terms };
}
