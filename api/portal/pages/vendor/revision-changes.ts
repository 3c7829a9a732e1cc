import type { Schemas } from '../server/api-types.ts';

/** One difference between two revisions; null: absent. */
export interface Change {
  /** A path in the descriptor, or of a file. */
  readonly location: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The differences between two revisions. */
export interface RevisionChanges {
  readonly descriptor: readonly Change[];
  readonly files: readonly Change[];
}

type Module = Schemas['Module'];

/** Compares two revisions: the descriptor value by value, the files by their contents. */
export function revisionChanges(before: Module, after: Module): RevisionChanges {
  return {
    descriptor: differences(valuesOf(before.descriptor), valuesOf(after.descriptor)),
    files: differences(hashesOf(before), hashesOf(after)),
  };
}

/** Values by their location. */
type Values = readonly (readonly [location: string, value: string])[];

function hashesOf({ files }: Module): Values {
  return files.map(({ path, sha256 }) => [path, sha256]);
}

function differences(before: Values, after: Values): readonly Change[] {
  const [old, now] = [new Map(before), new Map(after)];
  const locations = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return locations
    .map((location) => ({
      location,
      before: old.get(location) ?? null,
      after: now.get(location) ?? null,
    }))
    .filter((change) => change.before !== change.after);
}

/** Members that identify an item of a list better than its index, which changes. */
const NAMES = ['languageId', 'key', 'file'];

/** Every value of a descriptor by its location. A list of plain values counts as one value. */
function valuesOf(value: unknown, location = ''): Values {
  if (value === null) return [];
  if (Array.isArray(value)) {
    if (!value.some((each) => typeof each === 'object'))
      return value.length === 0 ? [] : [[location, value.join(', ')]];
    return value.flatMap((each: object, at) => valuesOf(each, `${location}[${itemName(each, at)}]`));
  }
  if (typeof value === 'string') return [[location, value]];
  if (typeof value !== 'object') return [[location, JSON.stringify(value)]];
  const prefix = location === '' ? '' : `${location}.`;
  return Object.entries(value).flatMap(([name, member]) => valuesOf(member, `${prefix}${name}`));
}

function itemName(item: object, at: number): string {
  const named = Object.entries(item).find(([name]) => NAMES.includes(name));
  return named === undefined ? String(at + 1) : String(named[1]);
}
