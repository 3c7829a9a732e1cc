import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import type { DirectoryRecord } from './central-directory.ts';

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

function describe(mine: DirectoryRecord, other: DirectoryRecord): string {
  const name = withoutSlash(mine.label);
  const otherName = withoutSlash(other.label);
  if (mine.isFolder !== other.isFolder) return `"${name}" is a file in one place and a folder in another.`;
  if (mine.name.equals(other.name)) return `Two entries are named "${name}".`;
  return `"${name}" and "${otherName}" are one name to systems that ignore case or Unicode forms.`;
}

/** Folders that entries lie in, folded, each with the first entry that lies there. */
function collectParents(folded: ReadonlyMap<DirectoryRecord, string>): Map<string, DirectoryRecord> {
  const parents = new Map<string, DirectoryRecord>();
  for (const [record, path] of folded) {
    let end = path.lastIndexOf('/');
    while (end > 0) {
      const parent = path.slice(0, end);
      if (parents.has(parent)) break;
      parents.set(parent, record);
      end = path.lastIndexOf('/', end - 1);
    }
  }
  return parents;
}

/** Entries that some system takes for one: equal names in any case and Unicode form, a file and a folder. */
export function findNameConflicts(records: readonly DirectoryRecord[]): Problem[] {
  const problems: Problem[] = [];
  const folded = new Map<DirectoryRecord, string>();
  const seen = new Map<string, DirectoryRecord>();
  const remedy = 'Rename or remove one of them.';
  for (const record of records) {
    if (record.path === undefined) continue;
    const path = foldPath(withoutSlash(record.path));
    folded.set(record, path);
    const other = seen.get(path);
    if (other === undefined) seen.set(path, record);
    else {
      const place = { entry: record.label, offset: record.recordOffset };
      problems.push(problem('archive-entry-name-conflict', `${describe(record, other)} ${remedy}`, place));
    }
  }
  for (const [parent, child] of collectParents(folded)) {
    const file = seen.get(parent);
    if (file === undefined || file.isFolder) continue;
    const detail = `"${file.label}" is a file, and "${child.label}" lies in a folder of that name. ${remedy}`;
    problems.push(
      problem('archive-entry-name-conflict', detail, { entry: file.label, offset: file.recordOffset }),
    );
  }
  return problems;
}
