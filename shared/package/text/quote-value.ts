const MAX_QUOTED_LENGTH = 60;

/** Text without NUL and lone surrogates, which PostgreSQL and UTF-8 cannot store. */
export function storableText(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

/** A value from a package as a message shows it: in quotes, cut at about 60 characters. */
export function quoteText(text: string): string {
  const cut = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  // JSON.stringify also escapes control characters and the half of a pair that a cut leaves over.
  return JSON.stringify(cut);
}

/** A parsed value in a few words. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return quoteText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}
