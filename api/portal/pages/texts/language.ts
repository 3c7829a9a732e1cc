import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { english } from './english.ts';
import { german } from './german.ts';

/** The languages of the pages, with their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

/** The tag of a language of the pages. */
export type Language = keyof typeof LANGUAGES;

const TEXTS: Readonly<Record<Language, typeof english>> = { en: english, de: german };
const STORED = 'portal-language';

/** Whether the pages exist in this language. */
export function isLanguage(value: unknown): value is Language {
  return value === 'en' || value === 'de';
}

/** The reader's last choice, or else the first of the browser's languages that exists, or else English. */
export function firstLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find(isLanguage) ?? 'en';
}

/** Keeps the reader's choice for the next visit. */
export function rememberLanguage(language: Language): void {
  localStorage.setItem(STORED, language);
}

/** The language of the page, for its parts. */
export const LanguageContext = createContext<Language>('en');

/** Returns the texts in the reader's language. */
export function useTexts(): typeof english {
  return TEXTS[useContext(LanguageContext)];
}

/** Returns the reader's language. */
export function useLanguage(): Language {
  return useContext(LanguageContext);
}
