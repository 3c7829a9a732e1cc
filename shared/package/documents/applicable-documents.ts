import { countryOf } from '../text/country-codes.ts';

/** A terms or privacy file, and for whom it is. */
export interface ModuleDocument {
  readonly path: string;
  readonly sha256: string;
  readonly mediaType: string;
  /** A code of ISO 3166-1; null: every country. */
  readonly countryId: string | null;
  /** BCP 47; null: no particular language. */
  readonly languageId: string | null;
}

/**
 * The documents for a country: those that name it, else those for every country, else all: terms for another country
 * are better than none.
 */
export function documentsInCountry(
  documents: readonly ModuleDocument[],
  countryCode: string | null,
): readonly ModuleDocument[] {
  const countries = documents.map(({ countryId }) => (countryId === null ? null : countryOf(countryId)));
  const own = countryCode === null ? [] : documents.filter((_, index) => countries[index] === countryCode);
  if (own.length > 0) return own;
  const general = documents.filter(({ countryId }) => countryId === null);
  return general.length > 0 ? general : documents;
}

/** The documents in a language: its tag, else the same language of another region, else English, else any. */
export function documentsInLanguage(
  documents: readonly ModuleDocument[],
  tag: string,
): readonly ModuleDocument[] {
  const groups = byLanguage(documents);
  const languages = [...groups.keys()];
  const found =
    languages.find((each) => each === tag.toLowerCase()) ??
    languages.find((each) => primaryOf(each) === primaryOf(tag)) ??
    languages.find((each) => primaryOf(each) === 'en') ??
    languages[0];
  return groups.get(found ?? '') ?? [];
}

/** The documents of each language; where there are none, of one language without documents. */
export function documentsByLanguage(
  documents: readonly ModuleDocument[],
): readonly [readonly ModuleDocument[], ...(readonly ModuleDocument[])[]] {
  const [first = [], ...others] = byLanguage(documents).values();
  return [first, ...others];
}

/** Whether these hashes (SHA-256) include all documents of a language; none are needed where there are none. */
export function areAccepted(documents: readonly ModuleDocument[], hashes: readonly string[]): boolean {
  const groups = [...byLanguage(documents).values()];
  return groups.length === 0 || groups.some((group) => group.every(({ sha256 }) => hashes.includes(sha256)));
}

function byLanguage(documents: readonly ModuleDocument[]): ReadonlyMap<string, readonly ModuleDocument[]> {
  const groups = new Map<string, ModuleDocument[]>();
  for (const document of documents) {
    const language = document.languageId?.toLowerCase() ?? '';
    groups.set(language, [...(groups.get(language) ?? []), document]);
  }
  return groups;
}

function primaryOf(tag: string): string {
  return tag.toLowerCase().split('-', 1)[0] ?? '';
}
