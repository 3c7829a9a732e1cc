import type { PackageCheck } from '../package-check.ts';
import { problem } from '../problem.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { isAsciiName } from './entry-name.ts';

/**
 * A path as the most forgiving file system sees it: without case, and in a form in which all Unicode
 * forms of one text are equal. Upper case first, since only that unfolds letters such as ß.
 */
function foldPath(path: string): string {
  if (isAsciiName(path)) return path.toLowerCase();
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function describe(mine: CentralDirectoryHeader, other: CentralDirectoryHeader): string {
  const name = withoutSlash(mine.label);
  const otherName = withoutSlash(other.label);
  if (mine.isFolder !== other.isFolder) return `"${name}" is both a file and a folder.`;
  if (mine.rawName === other.rawName) return `Two entries are named "${name}".`;
  if (mine.path === other.path)
    return `Two entries are named "${name}" without a leading "./" and in Unicode NFC.`;
  return `"${name}" and "${otherName}" are one name to systems that ignore case or Unicode forms.`;
}

/** The folder of a path, without its slash; empty for the root. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Entries that some systems treat as the same: names that are equal in any case and Unicode form, a file and a folder. */
export async function findNameConflicts(
  records: readonly CentralDirectoryHeader[],
  { problems, pacer }: PackageCheck,
): Promise<void> {
  const firsts = new Map<string, CentralDirectoryHeader>();
  const add = (record: CentralDirectoryHeader, detail: string): void => {
    const location = { entry: record.label, offset: record.recordOffset };
    problems.add(problem('archive-entry-name-conflict', `${detail} Rename or remove one of them.`, location));
  };
  await pacer.forEach(records, (record) => {
    if (record.path === undefined) return;
    const path = foldPath(withoutSlash(record.path));
    const other = firsts.get(path);
    if (other === undefined) firsts.set(path, record);
    else add(record, describe(record, other));
  });
  // Only the nearest folders of each entry are kept: all can be far more than there are entries.
  const seen = new Set<string>();
  const reported = new Set<CentralDirectoryHeader>();
  await pacer.forEach(firsts, ([path, child]) => {
    const nearest = folderOf(path);
    for (let folder = nearest; folder !== '' && !seen.has(folder); folder = folderOf(folder)) {
      const file = firsts.get(folder);
      if (file === undefined || file.isFolder || reported.has(file)) continue;
      reported.add(file);
      add(file, `"${file.label}" is a file, and "${child.label}" is in a folder of that name.`);
    }
    seen.add(nearest);
  });
}
