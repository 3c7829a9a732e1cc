import type { LocalizedText } from '../../../../shared/package/alert-rules/alert-rules.ts';
import { useLanguage } from '../texts/language.ts';

/** Picks a vendor's text in the reader's language, else in English. */
export function useLocalText(): (text: LocalizedText) => string {
  const language = useLanguage();
  return (text) => text[language] ?? text['en'] ?? Object.values(text)[0] ?? '';
}
