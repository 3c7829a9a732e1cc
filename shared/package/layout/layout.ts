import { type ArchiveTree, arrangeEntries } from '../archive/archive-tree.ts';
import { KIND_OF_FOLDER, maxBytesOf, type FileKind } from './file-kind.ts';
import { FLAT_FOLDERS, validateFlatFolder } from './flat-folder.ts';
import type { PackageLimits } from '../limits.ts';
import type { PackageCheck } from '../package-check.ts';
import { litterIn } from './litter.ts';
import { type PackageFolder, PACKAGE_FOLDERS } from './package-folders.ts';
import { type FoundProblems, type Problem, problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';
import type { ArchiveEntry } from '../archive/archive.ts';
import { Pacer } from '../archive/pacer.ts';

/** The path of the descriptor in a package. */
export const DESCRIPTOR_PATH = 'moduleSchema.json';

const ROOT_NAMES: readonly string[] = [DESCRIPTOR_PATH, ...PACKAGE_FOLDERS];

/** Where each file of a package belongs. */
export interface Layout {
  /** The kind of each file that belongs in a package. */
  readonly kinds: ReadonlyMap<string, FileKind>;
  /** Files over the limit of their kind, which are not kept in memory. */
  readonly oversized: ReadonlySet<string>;
  /** Every file of the archive that the operating system did not add. */
  readonly paths: ReadonlySet<string>;
}

/** What the layout is validated against. */
export interface LayoutSettings {
  readonly limits: PackageLimits;
  /** Folders that each package must have. */
  readonly requiredFolders: readonly PackageFolder[];
}

/** Arranges what is not litter. One warning for each file of litter, and one for each `__MACOSX/` folder, whatever it contains. */
async function withoutLitter(
  all: readonly ArchiveEntry[],
  { problems, pacer }: PackageCheck,
): Promise<ArchiveTree> {
  const entries: ArchiveEntry[] = [];
  const found = new Set<string>();
  await pacer.forEach(all, (entry) => {
    const litter = litterIn(entry.path);
    if (litter === null) entries.push(entry);
    else found.add(litter);
  });
  await pacer.forEach(found, (entry) => {
    const detail = `${quoteText(entry)} is a file of the operating system and was skipped.`;
    problems.add(problem('layout-litter-skipped', detail, { entry }));
  });
  return arrangeEntries(entries, pacer);
}

/** The folder that wraps the whole package, with its slash; null when there is none. */
function wrappingFolder(tree: ArchiveTree): string | null {
  const [name] = tree.rootFolders.keys();
  if (name === undefined || tree.rootFolders.get(name)?.length !== tree.entries.length) return null;
  const descriptorPath = `${name}/${DESCRIPTOR_PATH}`;
  return tree.entries.some((entry) => entry.path === descriptorPath) ? `${name}/` : null;
}

/** The name that an unexpected name may be a misspelling of. */
function nameHint(name: string): string {
  const meant = ROOT_NAMES.find((each) => each.toLowerCase() === name.toLowerCase());
  if (meant === undefined) return '';
  return meant === name
    ? ' A folder of this name is expected.'
    : ` If it is meant to be ${meant}, its name must be exactly that.`;
}

/** Adds files of the root that are not the descriptor, and the content of folders that a package does not have. */
async function addUnexpected(tree: ArchiveTree, { problems, pacer }: PackageCheck): Promise<void> {
  await pacer.forEach(tree.entries, ({ path: entry, isFolder }) => {
    const [root = ''] = entry.split('/', 1);
    const expected = entry === root ? [DESCRIPTOR_PATH] : PACKAGE_FOLDERS;
    // A folder's own entry is reported only where nothing in it is.
    if (expected.some((each) => each === root) || (isFolder && tree.holdsAnything(entry))) return;
    const where =
      entry === root ? 'the root of a package, which contains moduleSchema.json and folders' : 'a package';
    const detail = `${quoteText(entry)} does not belong in ${where}.${nameHint(root)}`;
    problems.add(problem('layout-entry-unexpected', detail, { entry }));
  });
}

function missingProblems(
  tree: ArchiveTree,
  paths: ReadonlySet<string>,
  required: readonly PackageFolder[],
): Problem[] {
  const problems = PACKAGE_FOLDERS.filter((folder) => !tree.rootFolders.has(folder)).map((folder) =>
    required.includes(folder)
      ? problem('layout-folder-missing', `The folder ${folder}/ is required here.`, { entry: `${folder}/` })
      : problem('layout-part-missing', `The package has no folder ${folder}/.`, { entry: `${folder}/` }),
  );
  if (!paths.has(DESCRIPTOR_PATH)) {
    const detail = `The package has no ${DESCRIPTOR_PATH} in its root.`;
    problems.push(problem('layout-descriptor-missing', detail, { entry: DESCRIPTOR_PATH }));
  }
  return problems;
}

/** Adds the files over the limit of their kind, and returns them. */
async function addTooLarge(
  entries: readonly ArchiveEntry[],
  kinds: ReadonlyMap<string, FileKind>,
  { limits, problems, pacer }: PackageCheck,
): Promise<ReadonlySet<string>> {
  const tooLarge = new Set<string>();
  await pacer.forEach(entries, ({ path: entry, sizeBytes }) => {
    const kind = kinds.get(entry);
    const maxBytes = kind === undefined ? null : maxBytesOf(kind, limits);
    if (maxBytes === null || sizeBytes <= maxBytes) return;
    const detail = `${quoteText(entry)} has ${sizeBytes} bytes; at most ${maxBytes} are allowed.`;
    problems.add(problem('layout-file-too-large', detail, { entry }));
    tooLarge.add(entry);
  });
  return tooLarge;
}

/** The kind of each file that belongs in a package; adds what is wrong with the others. */
async function kindsOf(tree: ArchiveTree, check: PackageCheck): Promise<ReadonlyMap<string, FileKind>> {
  const kinds = new Map<string, FileKind>([[DESCRIPTOR_PATH, 'descriptor']]);
  await check.pacer.forEach(await validateArtifactFolder(tree, check), (path) => kinds.set(path, 'artifact'));
  for (const folder of FLAT_FOLDERS) {
    const files = await validateFlatFolder(folder, tree, check);
    await check.pacer.forEach(files, (path) => kinds.set(path, KIND_OF_FOLDER[folder]));
  }
  return kinds;
}

/** Validates the locations of a package's entries, by their paths and sizes alone, and adds what is wrong with them. */
export async function validateLayout(
  all: readonly ArchiveEntry[],
  { limits, requiredFolders }: LayoutSettings,
  problems: FoundProblems,
): Promise<Layout> {
  const check = { limits, problems, pacer: new Pacer() };
  const tree = await withoutLitter(all, check);
  const paths = new Set<string>();
  await check.pacer.forEach(tree.entries, ({ path, isFolder }) => {
    if (!isFolder) paths.add(path);
  });
  const wrapping = wrappingFolder(tree);
  if (wrapping !== null) {
    const detail = `The package is in the folder ${quoteText(wrapping)}: zip the folder's contents, not the folder.`;
    problems.add(problem('layout-wrapped-in-folder', detail, { entry: wrapping }));
    return { kinds: new Map(), oversized: new Set(), paths };
  }
  problems.addAll(missingProblems(tree, paths, requiredFolders));
  await addUnexpected(tree, check);
  const kinds = await kindsOf(tree, check);
  return { kinds, oversized: await addTooLarge(tree.entries, kinds, check), paths };
}

const FOLDER = 'PackageArtifact/';
const BUILD = 'PackageArtifact/build/';

function wrong(entry: string, detail: string): Problem {
  return problem('layout-artifact-folder', detail, { entry });
}

/** Validates `PackageArtifact/`: exactly one folder, named `build`, with at least one file at any depth. Its files are returned. */
async function validateArtifactFolder(
  tree: ArchiveTree,
  { problems, pacer }: PackageCheck,
): Promise<readonly string[]> {
  const inside = tree.rootFolders.get('PackageArtifact');
  if (inside === undefined) return [];
  const files: string[] = [];
  const otherFolders = new Set<string>();
  await pacer.forEach(inside, ({ path, isFolder }) => {
    if (path.startsWith(BUILD)) {
      if (!isFolder) files.push(path);
      return;
    }
    const slash = path.indexOf('/', FOLDER.length);
    if (slash !== -1) otherFolders.add(path.slice(0, slash + 1));
    else if (path !== FOLDER)
      problems.add(wrong(path, `${quoteText(path)} must be in ${BUILD}, not next to it.`));
  });
  await pacer.forEach(otherFolders, (entry) =>
    problems.add(
      wrong(entry, `${quoteText(entry)} is not allowed: the only folder in ${FOLDER} must be named build.`),
    ),
  );
  // Another folder is most likely the build under a wrong name, and has been reported.
  if (files.length === 0 && otherFolders.size === 0) {
    problems.add(wrong(BUILD, `${BUILD} must exist and contain at least one file.`));
  }
  return files;
}
