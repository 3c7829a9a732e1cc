import type { ArchiveEntry } from './archive.ts';
import type { Pacer } from './pacer.ts';

/** An archive's entries by their folder in the root. */
export interface ArchiveTree {
  readonly entries: readonly ArchiveEntry[];
  /** Folder name → every entry at or under it. */
  readonly rootFolders: ReadonlyMap<string, readonly ArchiveEntry[]>;
  /** Whether a folder entry contains anything. */
  holdsAnything(folder: string): boolean;
}

/** Every folder entry that contains something. */
async function holdingFolders(entries: readonly ArchiveEntry[], pacer: Pacer): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  await pacer.forEach(entries, ({ path, isFolder }) => {
    if (isFolder) folders.add(path);
  });
  const holding = new Set<string>();
  if (folders.size === 0) return holding;
  await pacer.forEach(entries, ({ path }) => {
    let slash = path.lastIndexOf('/', path.length - 2);
    while (slash !== -1) {
      const above = path.slice(0, slash + 1);
      if (folders.has(above)) holding.add(above);
      slash = path.lastIndexOf('/', slash - 1);
    }
  });
  return holding;
}

/** Arranges entries; takes time in proportion to the length of their paths. */
export async function arrangeEntries(entries: readonly ArchiveEntry[], pacer: Pacer): Promise<ArchiveTree> {
  const rootFolders = new Map<string, ArchiveEntry[]>();
  const holding = await holdingFolders(entries, pacer);
  await pacer.forEach(entries, (entry) => {
    const slash = entry.path.indexOf('/');
    if (slash === -1) return;
    const name = entry.path.slice(0, slash);
    const inside = rootFolders.get(name);
    if (inside === undefined) rootFolders.set(name, [entry]);
    else inside.push(entry);
  });
  return { entries, rootFolders, holdsAnything: (folder) => holding.has(folder) };
}
