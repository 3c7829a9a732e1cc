import { Type } from 'typebox';

/** More words than these are not searched. */
const MAX_WORDS = 10;

/** The schema of a text with the words of a search. */
export function searchText(what: string) {
  return Type.String({
    maxLength: 200,
    description: `Words, or beginnings of words, that ${what} At most ten are used; a text without a letter or digit finds nothing.`,
  });
}

/** The words of a search; null: it is blank, so nothing is searched. A text without a letter or digit has no words, and finds nothing. */
export function wordsOf(text = ''): readonly string[] | null {
  if (text.trim() === '') return null;
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.slice(0, MAX_WORDS);
}
