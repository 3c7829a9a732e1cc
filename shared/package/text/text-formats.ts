import { isCountryCode } from './country-codes.ts';

const MAX_LANGUAGE_TAG_LENGTH = 100;
const MAX_EMAIL_LENGTH = 254;

/** Whether the text is a well-formed BCP 47 language tag. */
export function isLanguageTag(text: string): boolean {
  if (text === '' || text.length > MAX_LANGUAGE_TAG_LENGTH) return false;
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

/** Whether the text is an absolute http or https URL as in a link. */
export function isWebUrl(text: string): boolean {
  // The URL parser repairs blanks, control characters and backslashes; a link should not need it.
  if (!/^https?:\/\/[^\s\0-\x1f\x7f\\]+$/i.test(text)) return false;
  // Not URL.canParse: in Node 20, once it is compiled for speed, it rejects `ü` and similar characters.
  try {
    return new URL(text).host !== '';
  } catch {
    return false;
  }
}

/** Whether the text is an e-mail address: `local@domain.tld`, without display name, quotes or comments. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const labels = text.slice(at + 1).split('.');
  return (
    text.length <= MAX_EMAIL_LENGTH &&
    /^[^\s\0-\x1f\x7f@<>()[\]\\,;:"]{1,64}$/.test(text.slice(0, Math.max(at, 0))) &&
    !/^\.|\.\.|\.$/.test(text.slice(0, at)) &&
    labels.length > 1 &&
    labels.every((label) => /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)$/u.test(label))
  );
}

/** A format by the name that the schemas give it: the check, and what a message calls it. */
export interface TextFormat {
  readonly name: string;
  readonly meaning: string;
  readonly accepts: (text: string) => boolean;
  /** The canonical form of a text. */
  readonly normalize?: (text: string) => string;
}

/** Every `format` that the schemas of packages use. */
export const TEXT_FORMATS: readonly TextFormat[] = [
  { name: 'uri', meaning: 'an http or https URL', accepts: isWebUrl },
  { name: 'email', meaning: 'an e-mail address', accepts: isEmail },
  {
    name: 'country-code',
    meaning: 'a country code of ISO 3166-1 such as "DE" or "DEU"',
    accepts: isCountryCode,
    normalize: (text) => text.toUpperCase(),
  },
  {
    name: 'language-tag',
    meaning: 'a language tag of BCP 47 such as "en" or "pt-BR"',
    accepts: isLanguageTag,
    normalize: languageTagCase,
  },
];
