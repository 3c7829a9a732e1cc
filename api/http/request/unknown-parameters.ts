import type { Request } from 'express';
import { ProblemError } from '../problem.ts';

/** A longer name is cut: it is misspelt beyond recognition, and each character costs time. */
const MAX_NAME_LENGTH = 60;

/**
 * Refuses a query with a parameter that the endpoint does not have: `?relase=staged` must not release a revision.
 * @throws ProblemError 400 with the nearest known name.
 */
export function refuseUnknownParameters({ query }: Request, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = Array.from(unknown.toWellFormed().replaceAll('\0', '')).slice(0, MAX_NAME_LENGTH).join('');
  throw new ProblemError('request-invalid', `Unknown query parameter \`${name}\`; ${adviceFor(name, known)}`);
}

function adviceFor(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  if (meant !== null) return `did you mean \`${meant}\`?`;
  return known.length === 0
    ? 'this call has no query parameters.'
    : `this call has ${known.map((each) => `\`${each}\``).join(', ')}.`;
}

/** The known name with the fewest typing errors; null where each differs in more than half of its characters. */
function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((each) => ({ each, errors: typingErrors(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, errors }) => errors <= each.length / 2)
    .toSorted((a, b) => a.errors - b.errors);
  return nearest?.each ?? null;
}

/** The characters that were left out, added or replaced, and the neighbours that were swapped (optimal string alignment). */
function typingErrors(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
