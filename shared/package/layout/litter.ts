/** The folder that macOS adds to a ZIP. */
const LITTER_FOLDER = '__MACOSX';

/** Files that file managers leave behind, by their names in lower case; Windows writes its two in varying letter case. */
const LITTER_FILES: ReadonlyMap<string, string> = new Map(
  ['.DS_Store', 'Thumbs.db', 'desktop.ini'].map((name) => [name.toLowerCase(), name]),
);

/** What macOS keeps beside a file on other systems: `._name` for the file `name`. */
const APPLE_DOUBLE = '._';

/** A part of a path that an operating system created. */
interface Litter {
  readonly kind: string;
  /** The `__MACOSX/` folder, whatever it contains, or the file itself. */
  readonly entry: string;
}

/** What of a path is of an operating system; null if nothing is. */
export function litterIn(path: string): Litter | null {
  const segments = path.split('/');
  const folder = segments.slice(0, -1).indexOf(LITTER_FOLDER);
  if (folder !== -1)
    return { kind: `${LITTER_FOLDER}/`, entry: `${segments.slice(0, folder + 1).join('/')}/` };
  const name = segments.at(-1) ?? '';
  if (name.startsWith(APPLE_DOUBLE)) return { kind: `AppleDouble, ${APPLE_DOUBLE}*`, entry: path };
  const kind = LITTER_FILES.get(name.toLowerCase());
  return kind === undefined ? null : { kind, entry: path };
}
