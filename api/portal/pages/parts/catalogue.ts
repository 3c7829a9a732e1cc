import { useMemo } from 'preact/hooks';
import type { Schemas } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { useLanguage } from '../texts/language.ts';
import type { Language } from '../texts/language.ts';

/** The entries of a catalogue set by ID; empty until they are fetched. */
export function useCatalogue(set: string): ReadonlyMap<string, Schemas['CatalogueEntry']> {
  const { value } = useResource(`/CommonData/${set}`);
  return useMemo(() => new Map((value?.items ?? []).map((entry) => [entry.id, entry])), [value]);
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
