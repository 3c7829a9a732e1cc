import { quoteText } from './quote-value.ts';

/** The part of two names that must be equal for one to be meant by the other. */
const LEAST_LIKENESS = 0.6;

/**
 * How much of two names is equal at their starts and ends, from 0 to 1: a typing error, or a word too many, is at one
 * place. In linear time, because a hostile file has many names.
 */
function likeness(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return (2 * (start + end)) / (a.length + b.length);
}

/** The question whether a known name is meant, with a space before it; empty where none is near. */
export function nearNameHint(name: string, known: readonly string[]): string {
  const lower = name.toLowerCase();
  let best = LEAST_LIKENESS;
  let meant: string | undefined;
  for (const each of known) {
    const score = likeness(lower, each.toLowerCase());
    if (score < best) continue;
    best = score;
    meant = each;
  }
  if (meant === undefined) return '';
  return ` Did you mean ${quoteText(meant)}?${best === 1 ? ' Names are case-sensitive.' : ''}`;
}
