import { SettingsError } from '../config/settings-reader.ts';
import { isMembers } from '../package/schema/read-members.ts';
import { compileSchema, schemaFindings } from '../package/schema/validate-schema.ts';
import { locationOf, type LocatedText, type TextIssue } from '../package/text/located-text.ts';
import { parseJson } from '../package/text/parse-json.ts';
import { pathLabel, pointerTo } from '../package/text/json-pointer.ts';
import { quoteText } from '../package/text/quote-value.ts';
import { catalogueSchema } from './catalogue-schema.ts';

/** One value of a set, such as a language. */
export interface CatalogueEntry {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly description: string | null;
  /** ID of the entry that this one belongs under. */
  readonly parent: string | null;
  /** Of a language: whether the platform recommends a translation in it. */
  readonly recommended?: boolean;
}

/** Entries by the name of their set. */
export type CatalogueSets = ReadonlyMap<string, readonly CatalogueEntry[]>;

/** The keys that the service itself needs. */
const NEEDED = { languages: ['en'], dataAreas: ['FarmOrganization', 'FarmOrganizationAlerts'] } as const;

/** A platform may have a hundred thousand entries: operators are trusted with more values than packages. */
const MAX_VALUES = 1_000_000;
/** Issues that are reported; a file of another form has one in each entry. */
const MAX_ISSUES = 100;

const fits = compileSchema(catalogueSchema);

interface Issue {
  readonly pointer: string;
  readonly detail: string;
  readonly part?: 'value' | 'key';
}

/** The sets of a parsed catalogue file; null if it is not valid. */
export function catalogueSets(value: unknown): CatalogueSets | null {
  if (!fits(value)) return null;
  const sets = readSets(value);
  return [...issuesOfSets(sets)].length === 0 ? sets : null;
}

/**
 * Reads the text of a catalogue file.
 * @throws SettingsError with every issue and its location.
 */
export function readCatalogueFile(content: Buffer): CatalogueSets {
  const text = parseJson('', content, MAX_VALUES);
  if ('detail' in text) throw new SettingsError([issueLine(text)]);
  const isValid = fits(text.value);
  const found = isValid ? issuesOfSets(readSets(text.value)) : schemaFindings(fits.errors ?? [], () => false);
  const issues = [
    ...text.duplicateKeys.map(({ name, ...at }) => ({
      ...at,
      detail: `The key ${quoteText(name)} is duplicated.`,
    })),
    ...[...found].map((each) => locate(text, each)),
  ].toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (issues.length === 0) return readSets(text.value);
  const omitted = issues.length - MAX_ISSUES;
  throw new SettingsError([
    ...issues.slice(0, MAX_ISSUES).map(issueLine),
    ...(omitted > 0 ? [`CATALOGUE_FILE: ${omitted} more issues`] : []),
  ]);
}

function locate(text: LocatedText, { pointer, detail, part }: Issue): TextIssue {
  const { line = 1, column = 1 } = locationOf(text, pointer, part);
  return { line, column, detail };
}

function issueLine({ line, column, detail }: TextIssue): string {
  return `CATALOGUE_FILE: line ${line}, column ${column}: ${detail}`;
}

/** The sets of a value that fits the schema. */
function readSets(value: unknown): CatalogueSets {
  const members = isMembers(value) ? value : {};
  return new Map(
    Object.entries(members).flatMap(([set, entries]) =>
      Array.isArray(entries) ? [[set, entries.map(readEntry)] as const] : [],
    ),
  );
}

function readEntry(value: unknown): CatalogueEntry {
  const members = isMembers(value) ? value : {};
  const text = (name: string) => (typeof members[name] === 'string' ? members[name] : '');
  return {
    id: text('id').toLowerCase(),
    key: text('key'),
    value: text('value'),
    description: text('description') || null,
    parent: text('parent').toLowerCase() || null,
    ...(members['recommended'] === true && { recommended: true }),
  };
}

/** What no schema says: IDs and keys are unique in a set, and the service finds the entries that it needs. */
function* issuesOfSets(sets: CatalogueSets): Generator<Issue> {
  for (const [set, entries] of sets) {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries())
      for (const name of ['id', 'key'] as const) {
        const pointer = pointerTo(pointerTo(`/${set}`, index), name);
        const value = `${name} ${entry[name]}`;
        if (seen.has(value))
          yield { pointer, detail: `${pathLabel(pointer)} is that of an earlier entry of the set.` };
        seen.add(value);
      }
  }
  for (const [set, keys] of Object.entries(NEEDED)) {
    const present = sets.get(set);
    for (const key of present === undefined ? [] : keys)
      if (present?.every((entry) => entry.key !== key) === true)
        yield { pointer: `/${set}`, detail: `The set ${set} needs an entry with the key ${key}.` };
  }
}
