/** Folders that macOS adds to a ZIP. */
const LITTER_FOLDER = '__MACOSX';
/** Files that file managers leave behind; Windows writes its two in varying letter case. */
const LITTER_FILES: ReadonlySet<string> = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);

/** The part of a path that is an operating-system file: its `__MACOSX/` folder or the file itself; null if none is. */
export function litterIn(path: string): string | null {
  const segments = path.split('/');
  const folder = segments.slice(0, -1).indexOf(LITTER_FOLDER);
  if (folder !== -1) return `${segments.slice(0, folder + 1).join('/')}/`;
  return LITTER_FILES.has((segments.at(-1) ?? '').toLowerCase()) ? path : null;
}
