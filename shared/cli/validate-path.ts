import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { readDirectory } from '../package/archive/read-directory.ts';
import { openEntry } from '../package/archive/open-entry.ts';
import { readEntries } from '../package/archive/read-entries.ts';
import type { PackageLimits } from '../package/limits.ts';
import { listProblems, type ProblemLists } from '../package/problem.ts';
import { removablePartsOf, withRemovals, type RemovableParts } from '../package/removals.ts';
import { validatePackage } from '../package/validate-package.ts';
import type { ValidationSettings } from '../package/package-report.ts';
import { CannotRunError, reasonOf, RejectedError } from './exit-codes.ts';
import { withFileSource } from './file-source.ts';
import type { LeftOut } from './left-out.ts';
import { listPackage, type FolderListing, type PackageFolders } from './list-folder.ts';
import { withTemporaryFolder } from './temporary.ts';
import { writePackage, type WrittenPackage } from './write-package.ts';

/** A package or folder, and the locations of its files. */
export interface LocatedPackage {
  readonly kind: 'folder' | 'zip';
  /** As it was specified. */
  readonly path: string;
  /** The file of an entry of the package; in a ZIP the entry itself. */
  fileOf(entry: string): string;
  /** The contents of these entries; unreadable ones are omitted. */
  readEntries(entries: ReadonlySet<string>): Promise<ReadonlyMap<string, Buffer>>;
  /** The files of the folder that are not packed. */
  readonly leftOut: readonly LeftOut[];
}

/** A package or folder with its problems. */
export interface ValidatedPath extends LocatedPackage {
  readonly lists: ProblemLists;
}

/** One that was validated here. */
interface ReadPath extends ValidatedPath {
  /** Null where there is any error. */
  readonly parts: RemovableParts | null;
}

interface PathOptions {
  readonly artifact?: string | undefined;
  /** An earlier package: what this one removes from it is a warning. */
  readonly before?: RemovableParts | null;
}

/** Whether its problems reject the package. */
export function isRejected({ lists }: ValidatedPath): boolean {
  return lists.errorsTotal > 0;
}

/**
 * Validates a package, or a folder as the package that `pack` creates from it, with the worker's own code: every rule
 * except the registry's.
 * @throws CannotRunError if it cannot be read.
 * @throws RejectedError if its total size exceeds the limit.
 */
export async function validatePath(
  given: string,
  settings: ValidationSettings,
  { artifact, before = null }: PathOptions = {},
): Promise<ReadPath> {
  if (!(await isFolder(given))) {
    refuseArtifactOfZip(given, artifact ?? null);
    return { ...locatedZip(given, settings.limits), ...(await validateFile(given, settings, before)) };
  }
  return withTemporaryFolder(async (folder) => {
    const folders = { folder: given, artifact: artifact ?? null };
    const { validated } = await packAndValidate(folders, path.join(folder, 'package.zip'), settings, before);
    return validated;
  });
}

/** The parts of an earlier package or folder. @throws CannotRunError where it has errors: there is nothing to compare with. */
export async function partsOf(given: string, settings: ValidationSettings): Promise<RemovableParts> {
  const { parts } = await validatePath(given, settings);
  if (parts === null)
    throw new CannotRunError(`${given} has errors itself. Run modulectl check ${given} to see them.`);
  return parts;
}

/** @throws CannotRunError for a ZIP, which has its build, with another one. */
export function refuseArtifactOfZip(file: string, artifact: string | null): void {
  if (artifact !== null)
    throw new CannotRunError(
      `${file} is a ZIP, to which --artifact cannot add a build. Name the folder instead.`,
    );
}

/** Whether a path is a folder. @throws CannotRunError if it does not exist. */
export async function isFolder(given: string): Promise<boolean> {
  const stats = await stat(given).catch((error: unknown) => {
    throw new CannotRunError(`Cannot read ${given}: ${reasonOf(error)}.`);
  });
  return stats.isDirectory();
}

/** Packs folders into a file and validates that file. Nothing is written if they have entries that a package cannot contain. */
export async function packAndValidate(
  folders: PackageFolders,
  target: string,
  settings: ValidationSettings,
  before: RemovableParts | null = null,
): Promise<{ validated: ReadPath; written: WrittenPackage | null }> {
  const listing = await listPackage(folders);
  const located = locatedFolder(folders.folder, listing);
  if (listing.problems.length > 0) {
    const lists = listProblems(listing.problems, settings.limits.maxReportedProblems);
    return { validated: { ...located, lists, parts: null }, written: null };
  }
  const written = await writePackage(listing.files, target, settings.limits.maxPackageBytes);
  return { validated: { ...located, ...(await validateFile(target, settings, before)) }, written };
}

async function validateFile(
  file: string,
  settings: ValidationSettings,
  before: RemovableParts | null,
): Promise<Pick<ReadPath, 'lists' | 'parts'>> {
  return withFileSource(file, async (source) => {
    const { maxPackageBytes, maxReportedProblems } = settings.limits;
    if (source.sizeBytes > maxPackageBytes)
      throw new RejectedError(`${file} has ${source.sizeBytes} bytes. The limit is ${maxPackageBytes}.`);
    const { problems, omittedErrors, content } = await validatePackage(source, settings);
    const parts = content === null ? null : removablePartsOf(content);
    const all = before === null || parts === null ? problems : withRemovals(problems, before, parts);
    return { lists: listProblems(all, maxReportedProblems, omittedErrors), parts };
  });
}

/** A ZIP, whose entries are read where they are wanted. */
export function locatedZip(file: string, limits: PackageLimits): LocatedPackage {
  return {
    kind: 'zip',
    path: file,
    fileOf: (entry) => entry,
    readEntries: (entries) => readZipEntries(file, entries, limits),
    leftOut: [],
  };
}

async function readZipEntries(
  file: string,
  wanted: ReadonlySet<string>,
  limits: PackageLimits,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (wanted.size === 0) return found;
  await withFileSource(file, async (source) => {
    await readEntries(source, await readDirectory(source, limits), limits, {
      wantsWhole: (entry) => wanted.has(entry.path),
      whole: (closed) => {
        const opened = openEntry(closed);
        if ('code' in opened) return opened;
        found.set(closed.entry.path, opened.content);
        return undefined;
      },
      passed: () => undefined,
    });
  });
  return found;
}

function locatedFolder(folder: string, { files, leftOut }: FolderListing): LocatedPackage {
  const onDisk = new Map(files.map((each) => [each.path, each.file]));
  const fileOf = (entry: string) => onDisk.get(entry) ?? path.join(folder, entry);
  return {
    kind: 'folder',
    path: folder,
    fileOf,
    readEntries: async (entries) => {
      const found = new Map<string, Buffer>();
      for (const entry of entries) {
        const content = await readFile(fileOf(entry)).catch(() => null);
        if (content !== null) found.set(entry, content);
      }
      return found;
    },
    leftOut,
  };
}
