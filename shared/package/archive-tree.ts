import type { ArchiveEntry } from './zip/archive.ts';

/** An archive's entries by the folder of the root that they lie in. */
export interface ArchiveTree {
  readonly entries: readonly ArchiveEntry[];
  /** Folder name → every entry at or under it. */
  readonly rootFolders: ReadonlyMap<string, readonly ArchiveEntry[]>;
  /** Whether anything lies in a folder, given with its closing slash. */
  holdsAnything(folder: string): boolean;
}

/** Adds every folder above a path; stops at one that is known, since those above it are too. */
function addFoldersAbove(path: string, folders: Set<string>): void {
  let slash = path.lastIndexOf('/', path.length - 2);
  while (slash !== -1) {
    const folder = path.slice(0, slash + 1);
    if (folders.has(folder)) return;
    folders.add(folder);
    slash = path.lastIndexOf('/', slash - 1);
  }
}

/** Arranges entries; takes time in proportion to their number. */
export function arrangeEntries(entries: readonly ArchiveEntry[]): ArchiveTree {
  const rootFolders = new Map<string, ArchiveEntry[]>();
  const holding = new Set<string>();
  for (const entry of entries) {
    addFoldersAbove(entry.path, holding);
    const slash = entry.path.indexOf('/');
    if (slash === -1) continue;
    const name = entry.path.slice(0, slash);
    const inside = rootFolders.get(name);
    if (inside === undefined) rootFolders.set(name, [entry]);
    else inside.push(entry);
  }
  return { entries, rootFolders, holdsAnything: (folder) => holding.has(folder) };
}
