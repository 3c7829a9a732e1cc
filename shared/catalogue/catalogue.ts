import { ID_SETS } from '../package/descriptor/catalogue-id-rules.ts';
import type { PackageCatalogue } from '../package/package-report.ts';
import { isMembers } from '../package/schema/read-members.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { SHIPPED_SETS } from './shipped-sets.ts';
import { createHash } from 'node:crypto';

/** One value of a set, such as a language. */
export interface CatalogueEntry {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly description: string | null;
  /** ID of the entry that this one belongs under. */
  readonly parent: string | null;
}

/** The values that packages and clients refer to by ID. */
export interface Catalogue {
  readonly sets: ReadonlyMap<string, readonly CatalogueEntry[]>;
  readonly englishId: string;
  /** What packages may name. */
  readonly forPackages: PackageCatalogue;
  entry(set: string, key: string): CatalogueEntry | undefined;
}

/** Shipped IDs are derived in this namespace, so that they are equal on every deployment. It never changes. */
const NAMESPACE = '6f0f3d52-9a5b-4f0e-8c1d-2b7a94e6c3d1';

/** The keys that the service itself needs. */
const NEEDED = { languages: ['en'], dataAreas: ['FarmOrganization', 'FarmOrganizationAlerts'] } as const;

/**
 * The catalogue: the shipped sets, with sets replaced or added by the text of a catalogue file.
 * @throws SettingsError with every issue of that file at once.
 */
export function loadCatalogue(fileText?: string): Catalogue {
  const sets = new Map(shippedSets());
  const issues: string[] = [];
  if (fileText !== undefined) for (const [set, entries] of readFile(fileText, issues)) sets.set(set, entries);
  for (const [set, keys] of Object.entries(NEEDED)) {
    const present = new Set(sets.get(set)?.map(({ key }) => key));
    for (const key of keys)
      if (!present.has(key)) issues.push(`CATALOGUE_FILE: the set ${set} has no entry with the key ${key}`);
  }
  if (issues.length > 0) throw new SettingsError(issues);
  const entry = (set: string, key: string) => sets.get(set)?.find((each) => each.key === key);
  const named = (set: string) =>
    new Map((sets.get(set) ?? []).map(({ id, key, value }) => [id, { key, value }]));
  const englishId = entry('languages', 'en')?.id ?? '';
  const forPackages = {
    englishId,
    documentTypes: new Set(sets.get('documentTypes')?.flatMap(({ id, key }) => [id, key])),
    deploymentTypes: new Set(sets.get('deploymentTypes')?.map(({ key }) => key)),
    sets: new Map(ID_SETS.map((set) => [set, named(set)])),
  };
  return { sets, entry, englishId, forPackages };
}

let shipped: ReadonlyMap<string, readonly CatalogueEntry[]> | null = null;

/** Computed once in a process: each of the thousands of IDs is a hash. */
function shippedSets(): ReadonlyMap<string, readonly CatalogueEntry[]> {
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
  }));
}

function readFile(text: string, issues: string[]): [string, CatalogueEntry[]][] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = null;
  }
  if (!isMembers(parsed)) {
    issues.push('CATALOGUE_FILE: must be a JSON object of sets');
    return [];
  }
  return Object.entries(parsed).map(([set, entries]) => {
    if (!/^[A-Za-z][A-Za-z0-9]*$/.test(set))
      issues.push(`CATALOGUE_FILE: ${JSON.stringify(set)} is not a valid set name`);
    if (!Array.isArray(entries)) issues.push(`CATALOGUE_FILE: the set ${set} must be an array`);
    const list: unknown[] = Array.isArray(entries) ? entries : [];
    return [set, list.flatMap((entry, index) => readEntry(`${set}[${index}]`, entry, issues))];
  });
}

function readEntry(location: string, value: unknown, issues: string[]): CatalogueEntry[] {
  const members = isMembers(value) ? value : {};
  const { id, key, value: shown, description = null, parent = null } = members;
  const isText = (each: unknown): each is string => typeof each === 'string' && each !== '';
  if (!isGuid(id)) issues.push(`CATALOGUE_FILE: ${location}.id must be a GUID`);
  if (!isText(key)) issues.push(`CATALOGUE_FILE: ${location}.key must be a text`);
  if (!isText(shown)) issues.push(`CATALOGUE_FILE: ${location}.value must be a text`);
  if (parent !== null && !isGuid(parent))
    issues.push(`CATALOGUE_FILE: ${location}.parent must be a GUID or null`);
  if (!isGuid(id) || !isText(key) || !isText(shown)) return [];
  return [
    {
      id: id.toLowerCase(),
      key,
      value: shown,
      description: isText(description) ? description : null,
      parent: isGuid(parent) ? parent.toLowerCase() : null,
    },
  ];
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
