import type { ArchiveTree } from '../archive/archive-tree.ts';
import { arrangeEntries } from '../archive/archive-tree.ts';
import { validateArtifactFolder } from './artifact-folder.ts';
import { KIND_OF_FOLDER, maxBytesOf } from './file-kind.ts';
import type { FileKind } from './file-kind.ts';
import { FLAT_FOLDERS, validateFlatFolder } from './flat-folder.ts';
import type { PackageLimits } from '../limits.ts';
import { litterIn } from './litter.ts';
import type { PackageFolder } from './package-folders.ts';
import { PACKAGE_FOLDERS } from './package-folders.ts';
import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';
import type { ArchiveEntry } from '../archive/archive.ts';

/** The path of the descriptor in a package. */
export const DESCRIPTOR_PATH = 'moduleSchema.json';

const ROOT_NAMES: readonly string[] = [DESCRIPTOR_PATH, ...PACKAGE_FOLDERS];

/** Where each file of a package belongs, and what is wrong with that. */
export interface Layout {
  readonly problems: readonly Problem[];
  /** The kind of each file that belongs in a package. */
  readonly kinds: ReadonlyMap<string, FileKind>;
  /** Files over the limit of their kind, which are not kept in memory. */
  readonly oversized: ReadonlySet<string>;
  /** Every file of the archive but litter. */
  readonly paths: ReadonlySet<string>;
}

/** What the layout is validated against. */
export interface LayoutSettings {
  readonly limits: PackageLimits;
  /** Folders that each package must have. */
  readonly requiredFolders: readonly PackageFolder[];
}

/** One warning for each file of litter, and one for each `__MACOSX/` folder, whatever it contains. */
function litterProblems(entries: readonly ArchiveEntry[]): Problem[] {
  const found = new Set(entries.map((entry) => litterIn(entry.path)).filter((each) => each !== null));
  return [...found].map((entry) =>
    problem(
      'layout-litter-skipped',
      `${quoteText(entry)} is a file of the operating system and was skipped.`,
      { entry },
    ),
  );
}

/** The folder that wraps the whole package, with its slash; null when there is none. */
function wrappingFolder(tree: ArchiveTree): string | null {
  const [name] = tree.rootFolders.keys();
  if (name === undefined || tree.rootFolders.get(name)?.length !== tree.entries.length) return null;
  return tree.entries.some((entry) => entry.path === `${name}/${DESCRIPTOR_PATH}`) ? `${name}/` : null;
}

/** The name that an unexpected name may be a misspelling of. */
function nameHint(name: string): string {
  const meant = ROOT_NAMES.find((each) => each.toLowerCase() === name.toLowerCase());
  if (meant === undefined) return '';
  return meant === name
    ? ' A folder of this name is expected.'
    : ` If it is meant to be ${meant}, its name must be exactly that.`;
}

/** Files of the root that are not the descriptor, and the content of folders that a package does not have. */
function unexpectedProblems(tree: ArchiveTree): Problem[] {
  const problems: Problem[] = [];
  for (const { path: entry, isFolder } of tree.entries) {
    const [root = ''] = entry.split('/', 1);
    const expected = entry === root ? [DESCRIPTOR_PATH] : PACKAGE_FOLDERS;
    // A folder's own entry is reported only where nothing in it is.
    if (expected.some((each) => each === root) || (isFolder && tree.holdsAnything(entry))) continue;
    const where =
      entry === root ? 'the root of a package, which contains moduleSchema.json and folders' : 'a package';
    const detail = `${quoteText(entry)} does not belong in ${where}.${nameHint(root)}`;
    problems.push(problem('layout-entry-unexpected', detail, { entry }));
  }
  return problems;
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

function sizeProblems(
  entries: readonly ArchiveEntry[],
  kinds: ReadonlyMap<string, FileKind>,
  limits: PackageLimits,
): Problem[] {
  const problems: Problem[] = [];
  for (const { path: entry, sizeBytes } of entries) {
    const kind = kinds.get(entry);
    const maxBytes = kind === undefined ? null : maxBytesOf(kind, limits);
    if (maxBytes === null || sizeBytes <= maxBytes) continue;
    const detail = `${quoteText(entry)} has ${sizeBytes} bytes; at most ${maxBytes} are allowed.`;
    problems.push(problem('layout-file-too-large', detail, { entry }));
  }
  return problems;
}

/** Validates the locations of a package's entries, by their paths and sizes alone. */
export function validateLayout(
  all: readonly ArchiveEntry[],
  { limits, requiredFolders }: LayoutSettings,
): Layout {
  const tree = arrangeEntries(all.filter((entry) => litterIn(entry.path) === null));
  const paths = new Set(tree.entries.filter((entry) => !entry.isFolder).map((entry) => entry.path));
  const problems: readonly Problem[] = litterProblems(all);
  const wrapping = wrappingFolder(tree);
  if (wrapping !== null) {
    const detail = `The package is in the folder ${quoteText(wrapping)}: zip the folder's contents, not the folder.`;
    const wrapped = problem('layout-wrapped-in-folder', detail, { entry: wrapping });
    return { problems: [...problems, wrapped], kinds: new Map(), oversized: new Set(), paths };
  }
  const kinds = new Map<string, FileKind>([[DESCRIPTOR_PATH, 'descriptor']]);
  const artifact = validateArtifactFolder(tree);
  const lists = [
    problems,
    missingProblems(tree, paths, requiredFolders),
    unexpectedProblems(tree),
    artifact.problems,
  ];
  for (const path of artifact.files) kinds.set(path, 'artifact');
  for (const folder of FLAT_FOLDERS) {
    const validated = validateFlatFolder(folder, tree);
    lists.push(validated.problems);
    for (const path of validated.files) kinds.set(path, KIND_OF_FOLDER[folder]);
  }
  const tooLarge = sizeProblems(tree.entries, kinds, limits);
  const oversized = new Set(tooLarge.map((each) => each.entry ?? ''));
  return { problems: [...lists.flat(), ...tooLarge], kinds, oversized, paths };
}
