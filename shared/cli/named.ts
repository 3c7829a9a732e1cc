import { CannotRunError } from './exit-codes.ts';

/** Something that can be named instead of its ID. */
export interface Named {
  readonly id: string;
  readonly names: readonly (string | null)[];
}

/** A kind of things with names, and the command that lists them. */
export interface Kind {
  readonly word: string;
  readonly list: string;
}

/**
 * The ID of the one item with this name; upper and lower case are the same. The beginning of a name is not enough: a command that
 * deletes would take the next best item once the one that was meant is gone.
 * @throws CannotRunError with the candidates, or with the command that lists them
 */
export function idOfNamed(text: string, { word, list }: Kind, items: readonly Named[]): string {
  const sought = text.toLowerCase();
  const matching = (isMatch: (name: string) => boolean) =>
    items.filter(({ names }) => names.some((name) => name !== null && isMatch(name.toLowerCase())));
  const found = matching((name) => name === sought);
  const [one] = found;
  if (one !== undefined && found.length === 1) return one.id;
  const similar = one === undefined ? matching((name) => name.includes(sought)) : found;
  const said =
    one === undefined
      ? `No ${word} has the name "${text}".`
      : `"${text}" is the name of ${found.length} ${word}s. Use the ID.`;
  const lines = similar.map(({ id, names }) => `\n  ${[id, ...names.filter(Boolean)].join('  ')}`);
  const advice = lines.length === 0 ? `To list them: ${list}` : `Candidates:${lines.join('')}`;
  throw new CannotRunError(`${said} ${advice}`);
}
