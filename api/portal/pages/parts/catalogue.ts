import { callApi, type Schemas } from '../server/call-api.ts';
import { useRead } from '../server/use-resource.ts';
import { type Language, useLanguage, useTexts } from '../texts/language.ts';

type Entries = ReadonlyMap<string, Schemas['CatalogueEntry']>;

const EMPTY: Entries = new Map();

/** The sets of the catalogue, which do not change while a page is open: each is fetched once. */
const sets = new Map<string, Promise<Entries>>();

async function readSet(set: string): Promise<Entries> {
  const known = sets.get(set);
  if (known !== undefined) return known;
  const reading = callApi('GET', `/CommonData/${set}`).then(
    ({ items }) => new Map(items.map((entry) => [entry.id, entry])),
  );
  sets.set(set, reading);
  // The next page that needs the set tries again.
  reading.catch(() => sets.delete(set));
  return reading;
}

/** The entries of a catalogue set by ID; empty until they are fetched, or if that fails. */
export function useCatalogue(set: string): Entries {
  return useRead(set, () => readSet(set)).value ?? EMPTY;
}

type EntryName = (entry: Pick<Schemas['CatalogueEntry'], 'key' | 'value'>) => string;

/** Returns the name of a category, a crop or another entry of the catalogue in the reader's language, else its own. */
export function useEntryName(): EntryName {
  const { entries } = useTexts().market;
  return ({ key, value }) => entries[key] ?? value;
}

/** Returns the name of a language of the catalogue in the reader's language, else its own. */
export function useLanguageName(): EntryName {
  const names = new Intl.DisplayNames([useLanguage()], { type: 'language' });
  return ({ key, value }) => names.of(key) ?? value;
}

/** The name of an ID of a set; while the set is being fetched, an ID or a name in another language would only flicker. */
export function nameIn(entries: Entries, id: string, nameOf: EntryName): string {
  const entry = entries.get(id);
  if (entry !== undefined) return nameOf(entry);
  return entries.size === 0 ? '…' : id;
}

/** The names of IDs of a set; what the catalogue does not know is named by its ID. */
export function useNames(
  set: string,
  ids: readonly (string | null)[],
  nameOf: EntryName = useEntryName(),
): string {
  const entries = useCatalogue(set);
  return ids.flatMap((id) => (id === null ? [] : [nameIn(entries, id, nameOf)])).join(', ');
}

type ModuleName = Pick<Schemas['ModuleSummary']['translations'][number], 'languageId' | 'moduleName'>;

/** Finds a module's name in the reader's language, else in English, else in any. */
export function useModuleName(): (names: readonly ModuleName[]) => string {
  const languages = useCatalogue('languages');
  const language = useLanguage();
  return (names) => {
    const inLanguage = (code: Language) =>
      names.find(({ languageId }) => languages.get(languageId)?.key === code)?.moduleName;
    return inLanguage(language) ?? inLanguage('en') ?? names[0]?.moduleName ?? '…';
  };
}
