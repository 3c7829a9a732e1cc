import { isGuid } from '../schema/schema-parts.ts';
import { isCountryCode, meantCountry } from './country-codes.ts';
import { isLanguageTag, languageTagCase, meantLanguage, tagOfLocale } from './language-tags.ts';

const MAX_EMAIL_LENGTH = 254;

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
  /** The text of the format that another text probably means; null where none is near. */
  readonly meant?: (text: string) => string | null;
  /** The canonical form of a text. */
  readonly normalize?: (text: string) => string;
}

/** Every `format` that the schemas of packages use. */
export const TEXT_FORMATS: readonly TextFormat[] = [
  { name: 'uri', meaning: 'an http or https URL', accepts: isWebUrl },
  { name: 'email', meaning: 'an e-mail address', accepts: isEmail },
  {
    name: 'country-code',
    meaning: 'a country code of ISO 3166-1 such as "DE", "DEU" or "276"',
    accepts: isCountryCode,
    meant: meantCountry,
    normalize: (text) => text.toUpperCase(),
  },
  {
    name: 'language-tag',
    meaning: 'a language tag of BCP 47 such as "en" or "pt-BR"',
    accepts: isLanguageTag,
    meant: meantLanguage,
    normalize: languageTagCase,
  },
  {
    name: 'language-code',
    meaning: 'a language tag of BCP 47 such as "en" or "pt-BR"',
    accepts: (text) => isLanguageTag(tagOfLocale(text)),
    meant: meantLanguage,
    normalize: (text) => languageTagCase(tagOfLocale(text)),
  },
  {
    name: 'document-type',
    meaning: 'text',
    accepts: () => true,
    // Most are IDs, which have one normal form.
    normalize: (text) => (isGuid(text) ? text.toLowerCase() : text),
  },
];
