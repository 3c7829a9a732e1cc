import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { englishCommon } from './english-common.ts';
import { englishFarmer, englishOperator } from './english-farmer.ts';
import { englishVendor } from './english-vendor.ts';
import { germanCommon } from './german-common.ts';
import { germanFarmer, germanOperator } from './german-farmer.ts';
import { germanVendor } from './german-vendor.ts';

const english = {
  common: englishCommon,
  vendor: englishVendor,
  farmer: englishFarmer,
  operator: englishOperator,
};
const german: typeof english = {
  common: germanCommon,
  vendor: germanVendor,
  farmer: germanFarmer,
  operator: germanOperator,
};

/** The languages of the pages, with their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

/** The tag of a language of the pages. */
export type Language = keyof typeof LANGUAGES;

const TEXTS: Readonly<Record<Language, typeof english>> = { en: english, de: german };
const STORED = 'portal-language';

/** Whether the pages are there in this language. */
export function isLanguage(value: unknown): value is Language {
  return value === 'en' || value === 'de';
}

/** The reader's choice of before, or the first language of the browser's that there is; else English. */
export function firstLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find(isLanguage) ?? 'en';
}

/** Keeps the reader's choice for the next visit. */
export function rememberLanguage(language: Language): void {
  localStorage.setItem(STORED, language);
}

/** The language that the parts of a page are written in. */
export const LanguageContext = createContext<Language>('en');

/** The words of the reader's language. */
export function useTexts(): typeof english {
  return TEXTS[useContext(LanguageContext)];
}

/** The reader's language. */
export function useLanguage(): Language {
  return useContext(LanguageContext);
}
