import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { compareText } from '../package/text/compare-text.ts';
import { DESCRIPTOR_PATH } from '../package/layout/layout.ts';
import { problem, type Problem } from '../package/problem.ts';
import { quoteText } from '../package/text/quote-value.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';
import { leavesOutLitter, readLeavesOut, type LeavesOut, type LeftOut } from './left-out.ts';

/** One file of a folder that is packed. */
export interface FolderFile {
  /** The path in the package: Unicode NFC, `/` between segments. */
  readonly path: string;
  /** The path on this machine. */
  readonly file: string;
  readonly sizeBytes: number;
}

/** The contents of a package from a folder. */
export interface FolderListing {
  /** By path, in the same order on every system. */
  readonly files: FolderFile[];
  /** Files and folders that are not packed. */
  readonly leftOut: LeftOut[];
  /** Entries that a package cannot contain: links, pipes, devices. */
  readonly problems: Problem[];
}

/**
 * Lists a folder without following links, so that nothing outside of it is packed by accident. `parent` is where it is in
 * the package, with a slash at its end.
 * @throws CannotRunError if a part of it cannot be read.
 */
export async function listFolder(
  folder: string,
  leavesOut: LeavesOut = leavesOutLitter,
  parent = '',
): Promise<FolderListing> {
  const found: FolderListing = { files: [], leftOut: [], problems: [] };
  try {
    await collect(folder, parent, leavesOut, found);
  } catch (error) {
    throw new CannotRunError(`Cannot read the folder ${folder}: ${reasonOf(error)}.`);
  }
  return inOrder(found);
}

/** One listing of several. */
function inOrder(...listings: readonly FolderListing[]): FolderListing {
  return {
    files: listings.flatMap(({ files }) => files).toSorted((a, b) => compareText(a.path, b.path)),
    leftOut: listings.flatMap(({ leftOut }) => leftOut).toSorted((a, b) => compareText(a.path, b.path)),
    problems: listings.flatMap(({ problems }) => problems),
  };
}

async function collect(
  folder: string,
  parent: string,
  leavesOut: LeavesOut,
  found: FolderListing,
): Promise<void> {
  for (const each of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, each.name);
    const inPackage = parent + each.name.normalize('NFC') + (each.isDirectory() ? '/' : '');
    const reason = leavesOut(inPackage);
    if (reason !== null) found.leftOut.push({ path: inPackage, reason });
    else if (each.isDirectory()) await collect(file, inPackage, leavesOut, found);
    else if (each.isFile()) found.files.push({ path: inPackage, file, sizeBytes: (await lstat(file)).size });
    else found.problems.push(forbidden(each, inPackage));
  }
}

/** The problem that a ZIP with this entry would have. */
function forbidden(each: Dirent, entry: string): Problem {
  const kind = each.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
  const remedy = each.isSymbolicLink() ? 'Replace it with a copy of its target.' : 'Remove it.';
  return problem('archive-entry-kind-forbidden', `${quoteText(entry)} is ${kind}. ${remedy}`, { entry });
}

/** The path of a module's build in its package. */
const BUILD = 'PackageArtifact/build';

/** A folder that is packed. */
export interface PackageFolders {
  readonly folder: string;
  /** A build folder, which becomes `PackageArtifact/build`; null if the folder has its build there. */
  readonly artifact: string | null;
}

/**
 * Lists the files of a package from its folder, which may be a repository with other files, and its build folder.
 * @throws CannotRunError if a part of them cannot be read, or they cannot be one package.
 */
export async function listPackage({ folder, artifact }: PackageFolders): Promise<FolderListing> {
  const leavesOut = await readLeavesOut(folder);
  const listing = await listFolder(folder, leavesOut);
  await refuseParentOfModule(folder, listing);
  if (artifact === null) return listing;
  const taken = listing.files.find((each) => each.path.startsWith('PackageArtifact/'));
  if (taken !== undefined)
    throw new CannotRunError(
      `${taken.file} is in the folder, and --artifact names another build. Remove ${path.join(folder, 'PackageArtifact')}, or leave out --artifact.`,
    );
  const build = await listFolder(artifact, leavesOut, `${BUILD}/`);
  if (build.files.length === 0 && build.problems.length === 0)
    throw new CannotRunError(`The build folder ${artifact} has no files. Build the module first.`);
  const isBuild = (each: LeftOut) => path.relative(path.join(folder, each.path), artifact) === '';
  return inOrder({ ...listing, leftOut: listing.leftOut.filter((each) => !isBuild(each)) }, build);
}

/** A folder without a descriptor is most likely that of a repository, whose module is further down. */
async function refuseParentOfModule(folder: string, { files, leftOut }: FolderListing): Promise<void> {
  if (files.some((each) => each.path === DESCRIPTOR_PATH)) return;
  for (const each of leftOut) {
    const module = path.join(folder, each.path);
    const descriptor = await lstat(path.join(module, DESCRIPTOR_PATH)).catch(() => null);
    if (descriptor === null) continue;
    throw new CannotRunError(
      `${folder} has no ${DESCRIPTOR_PATH}, and ${module} has one. Name that folder instead.`,
    );
  }
}
