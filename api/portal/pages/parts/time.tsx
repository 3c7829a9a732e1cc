import { formatTime } from '../texts/formats.ts';
import { useLanguage } from '../texts/language.ts';

/** A time in the reader's language and zone. */
export function Time({ value }: { readonly value: string | null }) {
  const language = useLanguage();
  return value === null ? <>–</> : <time dateTime={value}>{formatTime(language, value)}</time>;
}
