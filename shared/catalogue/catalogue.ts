import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SettingsError } from '../config/settings-reader.ts';
import { ID_SETS } from '../package/descriptor/catalogue-id-rules.ts';
import type { PackageCatalogue } from '../package/package-report.ts';
import { readCatalogueFile, type CatalogueEntry, type CatalogueSets } from './catalogue-file.ts';
import { RECOMMENDED_LANGUAGES, SHIPPED_SETS } from './shipped-sets.ts';

/** The values that packages and clients refer to by ID. */
export interface Catalogue {
  readonly sets: CatalogueSets;
  readonly englishId: string;
  /** What packages may name. */
  readonly forPackages: PackageCatalogue;
  entry(set: string, key: string): CatalogueEntry | undefined;
}

/** Shipped IDs are derived in this namespace, so that they are equal on every deployment. It never changes. */
const NAMESPACE = '6f0f3d52-9a5b-4f0e-8c1d-2b7a94e6c3d1';

/**
 * The catalogue: the shipped sets, with sets replaced or added by the text of a catalogue file.
 * @throws SettingsError with every issue of that file at once.
 */
export function loadCatalogue(fileText?: string): Catalogue {
  return catalogueWith(fileText === undefined ? new Map() : readCatalogueFile(Buffer.from(fileText)));
}

/**
 * The catalogue with the sets of a file; the shipped one for null.
 * @throws SettingsError if the file cannot be read, or with every issue of it at once.
 */
export async function openCatalogue(file: string | null): Promise<Catalogue> {
  if (file === null) return loadCatalogue();
  const content = await readFile(file).catch((error: unknown) => {
    throw new SettingsError([`CATALOGUE_FILE: ${error instanceof Error ? error.message : String(error)}`]);
  });
  return catalogueWith(readCatalogueFile(content));
}

/** The shipped sets, replaced and complemented by a platform's own. */
export function catalogueWith(own: CatalogueSets): Catalogue {
  const sets = new Map([...shippedSets(), ...own]);
  const entry = (set: string, key: string) => sets.get(set)?.find((each) => each.key === key);
  const named = (set: string) =>
    new Map((sets.get(set) ?? []).map(({ id, key, value }) => [id, { key, value }]));
  const englishId = entry('languages', 'en')?.id ?? '';
  const forPackages = {
    englishId,
    documentTypes: new Set(sets.get('documentTypes')?.flatMap(({ id, key }) => [id, key])),
    deploymentTypes: new Set(sets.get('deploymentTypes')?.map(({ key }) => key)),
    sets: new Map(ID_SETS.map((set) => [set, named(set)])),
    recommendedLanguages: new Map(
      (sets.get('languages') ?? [])
        .filter(({ id, recommended }) => recommended === true && id !== englishId)
        .map(({ id, value }) => [id, value]),
    ),
  };
  return { sets, entry, englishId, forPackages };
}

let shipped: CatalogueSets | null = null;

/** Computed once in a process: each of the thousands of IDs is a hash. */
function shippedSets(): CatalogueSets {
  shipped ??= new Map(
    Object.entries(SHIPPED_SETS).map(([set, entries]) => [set, shippedEntries(set, entries)]),
  );
  return shipped;
}

function shippedEntries(
  set: string,
  entries: readonly (readonly [string, string, string?])[],
): CatalogueEntry[] {
  return entries.map(([key, value, description]) => ({
    id: uuidV5(NAMESPACE, `${set}/${key}`),
    key,
    value,
    description: description ?? null,
    parent: null,
    ...(set === 'languages' && RECOMMENDED_LANGUAGES.has(key) && { recommended: true }),
  }));
}

/** The UUID of a name in a namespace: version 5, SHA-1 (RFC 9562 section 5.5), in lower case. */
function uuidV5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest();
  const bytes = hash.subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
