import { type PackageEntries, jsonText } from '../package-builder.ts';

type Container = Record<string, unknown> | unknown[];

/** The text of a package's entry; empty where it has none. */
export function textOf(entries: PackageEntries, entry: string): string {
  return String(entries[entry] ?? '');
}

function segmentsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** The value at a JSON Pointer; undefined where there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const segment of segmentsOf(pointer))
    value = isContainer(value) ? Object.entries(value).find(([name]) => name === segment)?.[1] : undefined;
  return value;
}

/** The root with another value at a JSON Pointer; undefined removes what is there. */
export function withValueAt(root: unknown, pointer: string, value: unknown): unknown {
  const copy = structuredClone(root);
  const segments = segmentsOf(pointer);
  const last = segments.at(-1);
  const parent = valueAt(copy, pointer.slice(0, pointer.lastIndexOf('/')));
  if (last === undefined) return value;
  if (!isContainer(parent)) throw new Error(`nothing contains ${pointer}`);
  if (Array.isArray(parent)) parent.splice(Number(last), 1, ...(value === undefined ? [] : [value]));
  else if (value === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
  return copy;
}

/** The package whose JSON file has another value at a pointer. */
export function editJson(
  entries: PackageEntries,
  entry: string,
  pointer: string,
  value: unknown,
): PackageEntries {
  const root: unknown = JSON.parse(textOf(entries, entry));
  return { ...entries, [entry]: jsonText(withValueAt(root, pointer, value)) };
}

/** The package whose JSON file has another member in a list at its root. */
export function addItem(
  entries: PackageEntries,
  entry: string,
  list: string,
  item: object,
  first = false,
): PackageEntries {
  const root: unknown = JSON.parse(textOf(entries, entry));
  const found = valueAt(root, `/${list}`);
  const items: unknown[] = Array.isArray(found) ? found : [];
  const value = first ? [item, ...items] : [...items, item];
  return { ...entries, [entry]: jsonText(withValueAt(root, `/${list}`, value)) };
}

/** The package with a file under another path, in the descriptor too. */
export function renameFile(entries: PackageEntries, from: string, to: string): PackageEntries {
  const renamed = Object.entries(entries).map(([path, content]) => [path === from ? to : path, content]);
  const moved: PackageEntries = Object.fromEntries(renamed);
  const descriptor = textOf(moved, 'moduleSchema.json');
  return {
    ...moved,
    'moduleSchema.json': descriptor.replaceAll(JSON.stringify(from), JSON.stringify(to)),
  };
}

/** The text that the message puts between double quotes, first or another. */
export function quotedIn(detail: string, index = 0): string {
  const quoted = [...detail.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([each]) => each)[index];
  if (quoted === undefined) throw new Error(`nothing is quoted: ${detail}`);
  return String(JSON.parse(quoted));
}
