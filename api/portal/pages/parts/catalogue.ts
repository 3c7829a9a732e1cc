import { useMemo } from 'preact/hooks';
import type { CatalogueEntry, List, ModuleName } from '../server/answers.ts';
import { useResource } from '../server/use-resource.ts';
import { useLanguage } from '../texts/language.ts';
import type { Language } from '../texts/language.ts';

/** The entries of a catalogue set by ID; empty until they are read. */
export function useCatalogue(set: string): ReadonlyMap<string, CatalogueEntry> {
  const { value } = useResource<Pick<List<CatalogueEntry>, 'items'>>(`/CommonData/${set}`);
  return useMemo(() => new Map((value?.items ?? []).map((entry) => [entry.id, entry])), [value]);
}

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
