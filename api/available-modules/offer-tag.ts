import type { RevisionPart } from '../../shared/db/modules/changed-parts.ts';
import type { Descriptor } from '../../shared/package/descriptor/descriptor.ts';
import {
  documentsByLanguage,
  type ModuleDocument,
} from '../../shared/package/documents/applicable-documents.ts';
import { hashOfJson } from '../http/request/conditional-request.ts';

/** The part of an offer that a farmer agrees to. */
export interface Offer {
  readonly moduleId: string;
  readonly revision: number;
  readonly dataAreaIds: readonly string[];
  readonly subscriptionOptions: Descriptor['subscriptionOptions'];
  /** Those for the farmer's country. */
  readonly terms: readonly ModuleDocument[];
  readonly privacy: readonly ModuleDocument[];
}

/** The parts that an offer's entity tag names, in its order, after the revision. */
export const NAMED_PARTS = [
  'dataAreas',
  'prices',
  'terms',
  'privacy',
] as const satisfies readonly RevisionPart[];
type Named<Value> = Readonly<Record<(typeof NAMED_PARTS)[number], Value>>;

/** Of each part, its hash. The module is in it: the tag of another module's offer names nothing of this one. */
const hashIn = (moduleId: string) => (value: unknown) => hashOfJson([moduleId, value]);

/** The files alone: an offer also has their dates, which nobody agrees to. */
const filesOf = (documents: readonly ModuleDocument[]): readonly ModuleDocument[] =>
  documents.map(({ path, sha256, mediaType, countryId, languageId }) => ({
    ...{ path, sha256, mediaType, countryId, languageId },
  }));

/**
 * The entity tag of an offer, as it is read in one language, and of the page that shows it. The last part is for caches:
 * a page also changes where the offer does not, such as with the number of installations.
 */
export function offerTag(offer: Offer, page: unknown): string {
  const hash = hashIn(offer.moduleId);
  const hashes: Named<string> = {
    dataAreas: hash(offer.dataAreaIds),
    prices: hash(offer.subscriptionOptions),
    terms: hash(filesOf(offer.terms)),
    privacy: hash(filesOf(offer.privacy)),
  };
  const parts = [offer.revision, ...NAMED_PARTS.map((part) => hashes[part]), hashOfJson(page)];
  return `"${parts.join('.')}"`;
}

/** How an offer differs from the one that a farmer saw. */
export interface OfferChange {
  readonly seenRevision: number;
  readonly parts: readonly RevisionPart[];
}

/** The terms that the farmer saw with this offer, or how the offer differs; null: no tag is that of an offer. */
export type OfferMatch =
  { readonly seenTerms: readonly ModuleDocument[] } | { readonly change: OfferChange | null };

/**
 * Compares an offer, with its documents in every language, with the entity tags of those that a farmer saw, in whichever
 * language that was.
 */
export function matchOffer(tags: readonly string[], offer: Offer): OfferMatch {
  const hash = hashIn(offer.moduleId);
  const byHash = (documents: readonly ModuleDocument[]) =>
    new Map(documentsByLanguage(documents).map((each) => [hash(filesOf(each)), each]));
  const terms = byHash(offer.terms);
  const current: Named<{ has(hash: string): boolean }> = {
    dataAreas: new Set([hash(offer.dataAreaIds)]),
    prices: new Set([hash(offer.subscriptionOptions)]),
    terms,
    privacy: byHash(offer.privacy),
  };
  let change: OfferChange | null = null;
  for (const { revision, hashes } of tags.flatMap(readTag)) {
    const parts = NAMED_PARTS.filter((part) => !current[part].has(hashes[part]));
    if (revision === offer.revision && parts.length === 0)
      return { seenTerms: terms.get(hashes.terms) ?? [] };
    change = { seenRevision: revision, parts };
  }
  return { change };
}

const TAG = /^(\d{1,9})\.([\w-]{43})\.([\w-]{43})\.([\w-]{43})\.([\w-]{43})\./;

function readTag(tag: string): { readonly revision: number; readonly hashes: Named<string> }[] {
  const [, revision, dataAreas = '', prices = '', terms = '', privacy = ''] = TAG.exec(tag) ?? [];
  return revision === undefined
    ? []
    : [{ revision: Number(revision), hashes: { dataAreas, prices, terms, privacy } }];
}
