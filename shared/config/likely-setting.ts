const SHORTEST_NAME = 6;

/** The setting that a variable probably means; null where it looks like none. */
export function likelySetting(name: string, known: Iterable<string>): string | null {
  const settings = [...known].filter((each) => each.length >= SHORTEST_NAME);
  const wanted = plain(name);
  const similar = settings
    .map((each) => ({ each, distance: distanceOf(wanted, plain(each)) }))
    .filter(({ each, distance }) => distance <= (each.length < 10 ? 1 : 2))
    .sort((one, other) => one.distance - other.distance);
  const [best] = similar;
  return best?.each ?? settings.find((each) => isPart(each, name) || isPart(name, each)) ?? null;
}

/** `AUTH_ISSUER_URL` for `AUTH_ISSUER`; a single word, such as `PORT`, is part of too many names. */
function isPart(short: string, long: string): boolean {
  return short.includes('_') && long.startsWith(`${short}_`);
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toUpperCase();
}

/** How many characters must be inserted, removed, replaced or swapped with their neighbours. */
function distanceOf(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const previous = rows[row - 1] ?? [];
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isEqual = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isEqual ? 0 : 1),
          isSwapped ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(current);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}
