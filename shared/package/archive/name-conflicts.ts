import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';

const ASCII_ONLY = /^[\x00-\x7f]*$/;

/**
 * What a path is to the most forgiving file system: without case, and in a form in which all Unicode
 * forms of one text are equal. Upper case first, since only that unfolds letters such as ß.
 */
function foldPath(path: string): string {
  if (ASCII_ONLY.test(path)) return path.toLowerCase();
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
  return `"${name}" and "${otherName}" are one name to systems that ignore case or Unicode forms.`;
}

/** The case-folded folders of the entries, each with the first entry in it. */
function collectParents(
  firsts: ReadonlyMap<string, CentralDirectoryHeader>,
): Map<string, CentralDirectoryHeader> {
  const parents = new Map<string, CentralDirectoryHeader>();
  for (const [path, record] of firsts) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      if (parents.has(parent)) break;
      parents.set(parent, record);
    }
  }
  return parents;
}

/** Entries that some systems treat as the same: names that are equal in any case and Unicode form, a file and a folder. */
export function findNameConflicts(records: readonly CentralDirectoryHeader[]): Problem[] {
  const problems: Problem[] = [];
  const firsts = new Map<string, CentralDirectoryHeader>();
  const add = (record: CentralDirectoryHeader, detail: string): void => {
    const location = { entry: record.label, offset: record.recordOffset };
    problems.push(
      problem('archive-entry-name-conflict', `${detail} Rename or remove one of them.`, location),
    );
  };
  for (const record of records) {
    if (record.path === undefined) continue;
    const path = foldPath(withoutSlash(record.path));
    const other = firsts.get(path);
    if (other === undefined) firsts.set(path, record);
    else add(record, describe(record, other));
  }
  for (const [parent, child] of collectParents(firsts)) {
    const file = firsts.get(parent);
    if (file === undefined || file.isFolder) continue;
    add(file, `"${file.label}" is a file, and "${child.label}" is in a folder of that name.`);
  }
  return problems;
}
