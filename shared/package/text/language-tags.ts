import registered from './registered-codes.json' with { type: 'json' };

const MAX_LANGUAGE_TAG_LENGTH = 100;

const TWO_LETTERS: ReadonlySet<string> = new Set(registered.twoLetterLanguages.split(' '));

/** By the first two letters, the last letters of the three-letter languages. */
const THREE_LETTERS: ReadonlyMap<string, string> = new Map(
  registered.threeLetterLanguages.split(' ').map((each) => [each.slice(0, 2), each.slice(3)]),
);

/** The range of languages for private use (RFC 5646, section 2.2.1). */
const PRIVATE_USE = /^q[a-t][a-z]$/;

/** Whether IANA's registry of language subtags has this language. */
function isRegisteredLanguage(language: string): boolean {
  if (language.length === 2) return TWO_LETTERS.has(language);
  if (language.length !== 3) return false;
  return (
    PRIVATE_USE.test(language) ||
    THREE_LETTERS.get(language.slice(0, 2))?.includes(language.charAt(2)) === true
  );
}

/** Whether the text is a well-formed BCP 47 language tag of a registered language. */
export function isLanguageTag(text: string): boolean {
  if (text.length > MAX_LANGUAGE_TAG_LENGTH) return false;
  const [language = ''] = text.toLowerCase().split('-', 1);
  if (!isRegisteredLanguage(language)) return false;
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** A language tag in the letter case of RFC 5646 section 2.1.1: `zh-hant-tw` becomes `zh-Hant-TW`. */
export function languageTagCase(tag: string): string {
  let afterSingleton = false;
  const subtags = tag
    .toLowerCase()
    .split('-')
    .map((subtag, index) => {
      if (index === 0 || afterSingleton) return subtag;
      if (subtag.length === 1) afterSingleton = true;
      if (/^[a-z]{4}$/.test(subtag)) return subtag.charAt(0).toUpperCase() + subtag.slice(1);
      return subtag.length === 2 ? subtag.toUpperCase() : subtag;
    });
  return subtags.join('-');
}

/** A locale as operating systems write it, as a language tag: `pt_BR` becomes `pt-BR`. */
export function tagOfLocale(locale: string): string {
  return locale.replaceAll('_', '-');
}

/** The tag for one in another code of the language, such as `de` for `deu` of ISO 639-2; null if there is none. */
export function meantLanguage(text: string): string | null {
  try {
    const [tag = text] = Intl.getCanonicalLocales(tagOfLocale(text));
    return isLanguageTag(tag) ? tag : null;
  } catch {
    return null;
  }
}
