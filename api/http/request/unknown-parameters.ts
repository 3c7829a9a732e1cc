import type { Request } from 'express';
import { editsBetween } from '../../../shared/package/text/nearest-name.ts';
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
  const meant = nearestParameter(name, known);
  if (meant !== null) return `did you mean \`${meant}\`?`;
  return known.length === 0
    ? 'this call has no query parameters.'
    : `this call has ${known.map((each) => `\`${each}\``).join(', ')}.`;
}

/** The known name with the fewest edits; null where each differs in more than half of its characters. */
function nearestParameter(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((each) => ({ each, edits: editsBetween(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, edits }) => edits <= each.length / 2)
    .toSorted((a, b) => a.edits - b.edits);
  return nearest?.each ?? null;
}
