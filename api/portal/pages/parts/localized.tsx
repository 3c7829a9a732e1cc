import type { AlertPart } from '../server/api-types.ts';
import { useFormats } from '../texts/formats.ts';
import { useLanguage } from '../texts/language.ts';

/** Returns a vendor's text in the reader's language, else in English. */
export function useLocalText(): (text: AlertPart['title']) => string {
  const language = useLanguage();
  return (text) => text[language] ?? text['en'] ?? Object.values(text)[0] ?? '';
}

/** A date in the reader's language and time zone. */
export function Day({ value }: { readonly value: string }) {
  return <time dateTime={value}>{useFormats().day(value)}</time>;
}

/** A date and time in the reader's language and time zone. */
export function Time({ value }: { readonly value: string }) {
  return <time dateTime={value}>{useFormats().time(value)}</time>;
}
