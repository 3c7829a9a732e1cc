import type { ArchiveEntry } from '../archive/archive.ts';
import { Pacer } from '../archive/pacer.ts';
import type { ValidationSettings } from '../package-report.ts';
import type { PackageCheck } from '../package-check.ts';
import { type FoundProblems, type Problem, problem } from '../problem.ts';
import { compareText } from '../text/compare-text.ts';
import { litterIn } from './litter.ts';
import { nearestName } from '../text/nearest-name.ts';
import { privateFileIn, privateFileProblem, type PrivateFile } from './private-files.ts';
import { quoteText } from '../text/quote-value.ts';
import {
  FLAT_FOLDER_RULES,
  maxBytesOf,
  PACKAGE_FOLDERS,
  type FileKind,
  type FlatFolder,
  type PackageFolder,
} from './package-folders.ts';

/** The path of the descriptor in a package. */
export const DESCRIPTOR_PATH = 'moduleSchema.json';

/** The names that the root of a package may have. */
export const ROOT_NAMES: readonly string[] = [DESCRIPTOR_PATH, ...PACKAGE_FOLDERS];

/** Where each file of a package belongs. */
export interface Layout {
  /** The kind of each file that belongs in a package. */
  readonly kinds: Map<string, FileKind>;
  /** Files over the limit of their kind, which are not kept in memory. */
  readonly oversized: Set<string>;
  /** Every file that the operating system did not add, unless a folder wraps them all. */
  readonly paths: Set<string>;
}

/** Validates the locations of a package's entries, by their paths and sizes alone, and adds what is wrong with them. */
export async function validateLayout(
  all: readonly ArchiveEntry[],
  { limits, requiredFolders }: Pick<ValidationSettings, 'limits' | 'requiredFolders'>,
  problems: FoundProblems,
): Promise<Layout> {
  const check = { limits, problems, pacer: new Pacer() };
  const layout: Layout = { kinds: new Map(), oversized: new Set(), paths: new Set() };
  const entries = await withoutHoldingFolders(await withoutLitter(all, check), check.pacer);
  const wrapping = await wrappingFolder(entries, check.pacer);
  if (wrapping !== null) {
    const detail = `The package is in the folder ${quoteText(wrapping)}: zip the folder's contents, not the folder.`;
    problems.add(problem('layout-wrapped-in-folder', detail, { entry: wrapping }));
    return layout;
  }
  const contents = await contentsOfFolders(entries, layout, check);
  problems.addAll(missingProblems(contents, layout, requiredFolders));
  for (const [folder, inside] of contents) {
    const isBuild = folder === 'PackageArtifact';
    const kind = isBuild ? 'artifact' : FLAT_FOLDER_RULES[folder].kind;
    const files = await (isBuild
      ? validateArtifactFolder(inside, check)
      : validateFlatFolder(folder, inside, check));
    await check.pacer.forEach(files, (file) => place(file, kind, layout, check));
  }
  return layout;
}

/** One warning for each kind of operating-system files, which names the first. */
async function withoutLitter(
  all: readonly ArchiveEntry[],
  { problems, pacer }: PackageCheck,
): Promise<readonly ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const found = new Map<string, Several>();
  await pacer.forEach(all, (entry) => {
    const litter = litterIn(entry.path);
    if (litter === null) entries.push(entry);
    else count(found, litter.kind, litter.entry);
  });
  for (const [kind, { first: entry, count: files }] of found) {
    const detail =
      files === 1
        ? `${quoteText(entry)} is a file of the operating system and was skipped.`
        : `${files} entries of the operating system (${kind}) were skipped, such as ${quoteText(entry)}.`;
    problems.add(problem('layout-litter-skipped', detail, { entry }));
  }
  return entries;
}

/** Entries that have one problem together. */
interface Several {
  /** The first of them by its path. */
  readonly first: string;
  readonly count: number;
}

function count(found: Map<string, Several>, key: string, path: string): void {
  const { first = path, count: before = 0 } = found.get(key) ?? {};
  found.set(key, { first: compareText(path, first) < 0 ? path : first, count: before + 1 });
}

/** Files and empty folders: of a folder that contains something, that says where it is. In time by the length of paths. */
async function withoutHoldingFolders(
  entries: readonly ArchiveEntry[],
  pacer: Pacer,
): Promise<readonly ArchiveEntry[]> {
  const empty = new Set<string>();
  await pacer.forEach(entries, ({ path, isFolder }) => {
    if (isFolder) empty.add(path);
  });
  // The root is `./`.
  empty.delete('');
  await pacer.forEach(entries, ({ path }) => {
    if (empty.size === 0) return;
    for (let slash = path.lastIndexOf('/', path.length - 2); slash !== -1;) {
      empty.delete(path.slice(0, slash + 1));
      slash = path.lastIndexOf('/', slash - 1);
    }
  });
  const kept: ArchiveEntry[] = [];
  await pacer.forEach(entries, (entry) => {
    if (!entry.isFolder || empty.has(entry.path)) kept.push(entry);
  });
  return kept;
}

/** The folder, at any depth, that wraps the whole package, with its slash; null when there is none. */
async function wrappingFolder(entries: readonly ArchiveEntry[], pacer: Pacer): Promise<string | null> {
  const [first] = entries;
  let folder = first?.path.slice(0, first.path.lastIndexOf('/') + 1) ?? '';
  await pacer.forEach(entries, ({ path }) => {
    while (!path.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  });
  if (folder === '' || PACKAGE_FOLDERS.some((each) => folder.startsWith(`${each}/`))) return null;
  const descriptor = folder + DESCRIPTOR_PATH;
  const descriptors: ArchiveEntry[] = [];
  await pacer.forEach(entries, (entry) => {
    if (entry.path === descriptor) descriptors.push(entry);
  });
  return descriptors.length > 0 ? folder : null;
}

/** The entries in each folder of a package; adds what does not belong in the root, a folder once whatever it contains. */
async function contentsOfFolders(
  entries: readonly ArchiveEntry[],
  layout: Layout,
  check: PackageCheck,
): Promise<ReadonlyMap<PackageFolder, readonly ArchiveEntry[]>> {
  const contents = new Map<PackageFolder, ArchiveEntry[]>();
  const strange = new Map<string, Several>();
  await check.pacer.forEach(entries, (entry) => {
    const { path, isFolder } = entry;
    const [root = ''] = path.split('/', 1);
    if (!isFolder) layout.paths.add(path);
    const folder = path === root ? undefined : PACKAGE_FOLDERS.find((each) => each === root);
    if (path === DESCRIPTOR_PATH) place(entry, 'descriptor', layout, check);
    else if (folder === undefined) count(strange, path === root ? root : `${root}/`, path);
    else if (contents.get(folder)?.push(entry) === undefined) contents.set(folder, [entry]);
  });
  await check.pacer.forEach(strange, ([entry, several]) => check.problems.add(unexpected(entry, several)));
  return contents;
}

function unexpected(entry: string, { count: entries }: Several): Problem {
  const isFolder = entry.endsWith('/');
  const where = isFolder
    ? 'a package'
    : 'the root of a package, which contains moduleSchema.json and folders';
  const inside = isFolder && entries > 1 ? `, nor do the ${entries} entries in it` : '';
  const hint = nameHint(isFolder ? entry.slice(0, -1) : entry);
  const detail = `${quoteText(entry)} does not belong in ${where}${inside}.${hint}`;
  return problem('layout-entry-unexpected', detail, { entry });
}

/** The name that an unexpected name may be a misspelling of. */
function nameHint(name: string): string {
  const meant = nearestName(name, ROOT_NAMES);
  if (meant === undefined) return '';
  return meant === name
    ? ' A folder of this name is expected.'
    : ` If it is meant to be ${meant}, its name must be exactly that.`;
}

function missingProblems(
  contents: ReadonlyMap<PackageFolder, unknown>,
  { paths }: Layout,
  required: readonly PackageFolder[],
): Problem[] {
  const problems = PACKAGE_FOLDERS.filter((folder) => !contents.has(folder)).map((folder) =>
    required.includes(folder)
      ? problem('layout-folder-missing', `The folder ${folder}/ is required here.`, { entry: `${folder}/` })
      : problem('layout-part-missing', `The package has no folder ${folder}/.`, { entry: `${folder}/` }),
  );
  if (!paths.has(DESCRIPTOR_PATH)) {
    const elsewhere = [...paths].find((each) => each.endsWith(`/${DESCRIPTOR_PATH}`));
    const hint = elsewhere === undefined ? '' : ` Is ${quoteText(elsewhere)} meant? Move it to the root.`;
    const detail = `The package has no ${DESCRIPTOR_PATH} in its root.${hint}`;
    problems.push(problem('layout-descriptor-missing', detail, { entry: DESCRIPTOR_PATH }));
  }
  return problems;
}

/** Records a file that belongs in the package, and adds it where it is over the limit of its kind. */
function place(
  { path: entry, sizeBytes }: ArchiveEntry,
  kind: FileKind,
  { kinds, oversized }: Layout,
  { limits, problems }: PackageCheck,
): void {
  kinds.set(entry, kind);
  const maxBytes = maxBytesOf(kind, limits);
  if (maxBytes === null || sizeBytes <= maxBytes) return;
  const detail = `${quoteText(entry)} has ${sizeBytes} bytes; at most ${maxBytes} are allowed.`;
  problems.add(problem('layout-file-too-large', detail, { entry }));
  oversized.add(entry);
}

/** Validates a folder that contains only files, and returns those that may be read. */
async function validateFlatFolder(
  folder: FlatFolder,
  inside: readonly ArchiveEntry[],
  { problems, pacer }: PackageCheck,
): Promise<readonly ArchiveEntry[]> {
  const { fileName, expected, exactlyOne } = FLAT_FOLDER_RULES[folder];
  const files: ArchiveEntry[] = [];
  const wrong = new Set<string>();
  await pacer.forEach(inside, (file) => {
    const entry = file.path;
    const name = entry.slice(folder.length + 1);
    if (name === '') return;
    if (!name.includes('/') && fileName.test(name)) {
      files.push(file);
      return;
    }
    wrong.add(entry);
    const nested = `${quoteText(entry)} is in a sub-folder; ${folder}/ must not have any.`;
    problems.add(
      name.includes('/')
        ? problem('layout-folder-nested', nested, { entry })
        : problem('layout-file-type', `${quoteText(entry)} must have ${expected}.`, { entry }),
    );
  });
  if (!exactlyOne || files.length === 1) return files;
  // The problem of a file with a wrong type or location already explains why there is no valid one.
  if (files.length > 1 || wrong.size === 0) {
    const detail = `${folder}/ must contain exactly one file, not ${files.length}.`;
    problems.add(problem('layout-file-count', detail, { entry: `${folder}/` }));
  }
  return [];
}

const FOLDER = 'PackageArtifact/';
const BUILD = 'PackageArtifact/build/';

/** `PackageArtifact/` contains exactly one folder, named `build`, with at least one file at any depth. */
async function validateArtifactFolder(
  inside: readonly ArchiveEntry[],
  { problems, pacer }: PackageCheck,
): Promise<readonly ArchiveEntry[]> {
  const add = (entry: string, detail: string) =>
    problems.add(problem('layout-artifact-folder', detail, { entry }));
  const files: ArchiveEntry[] = [];
  const otherFolders = new Set<string>();
  const privateFiles = new Map<string, PrivateFile>();
  await pacer.forEach(inside, (entry) => {
    const { path, isFolder } = entry;
    const slash = path.indexOf('/', FOLDER.length);
    if (path.startsWith(BUILD)) {
      if (!isFolder) files.push(entry);
      const found = privateFileIn(path);
      if (found !== null) privateFiles.set(found.entry, found);
    } else if (slash !== -1) otherFolders.add(path.slice(0, slash + 1));
    else if (path !== FOLDER) add(path, `${quoteText(path)} must be in ${BUILD}, not next to it.`);
  });
  await pacer.forEach(otherFolders, (entry) =>
    add(entry, `${quoteText(entry)} is not allowed: the only folder in ${FOLDER} must be named build.`),
  );
  await pacer.forEach(privateFiles.values(), (each) => problems.add(privateFileProblem(each)));
  // Another folder is most likely the build under a wrong name, and has been reported.
  if (files.length === 0 && otherFolders.size === 0)
    add(BUILD, `${BUILD} must exist and contain at least one file.`);
  return files;
}
