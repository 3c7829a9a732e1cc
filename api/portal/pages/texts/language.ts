import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { english } from './english.ts';
import { german } from './german.ts';

/** The languages of the pages, with their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

/** The tag of a language of the pages. */
export type Language = keyof typeof LANGUAGES;

/** All texts, in one language. */
export type Texts = typeof english;

const TEXTS: Readonly<Record<Language, Texts>> = { en: english, de: german };
const STORED = 'portal-language';

/** Whether the pages exist in this language. */
export function isLanguage(value: unknown): value is Language {
  return value === 'en' || value === 'de';
}

/** The language of the document: the service has chosen it. */
export function firstLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : 'en';
}

/** Keeps the reader's choice for the next visit, where the service reads it. */
export function rememberLanguage(language: Language): void {
  document.cookie = `${STORED}=${language}; Path=/portal; Max-Age=31536000; SameSite=Lax`;
}

/** The language of the page, for its parts. */
export const LanguageContext = createContext<Language>('en');

/** Returns the texts in the reader's language. */
export function useTexts(): Texts {
  return TEXTS[useContext(LanguageContext)];
}

/** Returns the reader's language. */
export function useLanguage(): Language {
  return useContext(LanguageContext);
}

const HECTARE_M2 = 10_000;
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Returns functions that format values for people, in the reader's language and time zone. */
export function useFormats() {
  const language = useLanguage();
  const date = (value: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', ...options }).format(new Date(value));
  const number = (value: number, digits = 2) =>
    new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
  return {
    number,
    time: (value: string) => date(value, { timeStyle: 'short' }),
    day: (value: string) => date(value, {}),
    clock: (value: string) => date(value, { dateStyle: undefined, timeStyle: 'short' }),
    ago: (value: string) => formatRelative(language, Math.min(-0, Date.parse(value) - Date.now())),
    until: (value: string) => formatRelative(language, Math.max(0, Date.parse(value) - Date.now())),
    utcDay: (value: string) => date(value, { timeZone: 'UTC' }),
    hour: (value: string) =>
      date(value, { dateStyle: undefined, weekday: 'short', hour: '2-digit', minute: '2-digit' }),
    percent: (value: number) =>
      new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(value),
    bytes: (value: number) => formatBytes(language, value),
    hectares: (areaM2: number) => `${number(areaM2 / HECTARE_M2, 1)} ha`,
  };
}

/** A size in the unit that fits, in steps of 1000. */
function formatBytes(language: Language, bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: bytes / 1000 ** step < 10 ? 1 : 0,
  }).format(bytes / 1000 ** step);
}

const MINUTE_MS = 60_000;
const SPANS = [
  ['day', 1_440 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
] as const;

/** A time from now, or before it if negative, in whole days, hours or minutes. */
function formatRelative(language: Language, ms: number): string {
  const span = SPANS.find(([, minMs]) => Math.abs(ms) >= minMs);
  // Now, and not in zero minutes.
  if (span === undefined)
    return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'second');
  const [unit, unitMs] = span;
  return new Intl.RelativeTimeFormat(language).format(Math.trunc(ms / unitMs), unit);
}
