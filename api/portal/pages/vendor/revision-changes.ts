import type { ModuleRevision } from '../server/answers.ts';

/** One difference between two revisions; null: not there. */
export interface Change {
  /** Where: a path in the descriptor, or of a file. */
  readonly place: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What differs between two revisions. */
export interface RevisionChanges {
  readonly descriptor: readonly Change[];
  readonly files: readonly Change[];
}

/** Compares two revisions: the descriptor value by value, the files by their contents. */
export function revisionChanges(before: ModuleRevision, after: ModuleRevision): RevisionChanges {
  return {
    descriptor: differences(valuesOf(before.descriptor), valuesOf(after.descriptor)),
    files: differences(
      new Map(before.files.map(({ path, sha256 }) => [path, sha256])),
      new Map(after.files.map(({ path, sha256 }) => [path, sha256])),
    ),
  };
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Change[] {
  const places = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return places.flatMap((place) => {
    const [old = null, now = null] = [before.get(place), after.get(place)];
    return old === now ? [] : [{ place, before: old, after: now }];
  });
}

/** Members that name an item of a list better than its place, which moves. */
const NAMES = ['languageId', 'key', 'file'];

/** Every value of a descriptor by where it stands; lists of plain values as one. */
function valuesOf(value: object, prefix = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const place = prefix === '' ? name : `${prefix}.${name}`;
    if (member === null) continue;
    if (Array.isArray(member) && member.some((each) => typeof each === 'object')) {
      for (const [at, each] of (member as object[]).entries())
        for (const [inner, text] of valuesOf(each, `${place}[${itemName(each, at)}]`)) found.set(inner, text);
    } else if (typeof member === 'object' && !Array.isArray(member)) {
      for (const [inner, text] of valuesOf(member, place)) found.set(inner, text);
    } else if (!Array.isArray(member) || member.length > 0) {
      found.set(
        place,
        Array.isArray(member) ? member.join(', ') : JSON.stringify(member).replaceAll(/^"|"$/g, ''),
      );
    }
  }
  return found;
}

function itemName(item: object, at: number): string {
  const named = Object.entries(item).find(([name]) => NAMES.includes(name));
  return named === undefined ? String(at + 1) : String(named[1]);
}
