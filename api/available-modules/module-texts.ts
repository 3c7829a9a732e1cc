/** A text of a module in one language. */
interface InLanguage {
  readonly languageId: string;
}

/** The translation in the first of the languages that the module has, else any. */
export function inFirstLanguage<Text extends InLanguage>(
  translations: readonly Text[],
  languageIds: readonly string[],
): Text | undefined {
  for (const id of languageIds) {
    const found = translations.find(({ languageId }) => languageId === id);
    if (found !== undefined) return found;
  }
  return translations[0];
}
