/** A name has at most this share of other characters to be taken for a misspelt one: one in six, at most two. */
const CHARACTERS_PER_EDIT = 6;
const MAX_EDITS = 2;
/** A shorter name is the beginning of too many others. */
const SHORTEST_BEGINNING = 9;

/** The known name that a name was probably meant to be: itself, a misspelling, or one that is cut or continued. */
export function nearestName<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
  return known.find((each) => each === name) ?? known.find((each) => areNear(plain(name), plain(each)));
}

function plain(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase();
}

function areNear(name: string, known: string): boolean {
  const [short, long] = name.length < known.length ? [name, known] : [known, name];
  if (short.length >= SHORTEST_BEGINNING && long.startsWith(short))
    return /^[a-z]*$/.test(long.slice(short.length));
  const allowed = Math.min(MAX_EDITS, Math.floor(known.length / CHARACTERS_PER_EDIT));
  return long.length - short.length <= allowed && editsBetween(name, known) <= allowed;
}

/** The fewest characters that have to be added, removed, replaced or swapped with the next one (optimal string alignment). */
export function editsBetween(one: string, other: string): number {
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
