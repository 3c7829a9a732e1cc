import path from 'node:path';
import type { Command } from 'commander';
import { compareText } from '../package/text/compare-text.ts';
import { CannotRunError } from './exit-codes.ts';
import { listFolder, type FolderListing } from './list-folder.ts';

/** The path of a module's build in its package. */
const BUILD = 'PackageArtifact/build';

/** A folder that is packed. */
export interface PackageFolders {
  readonly folder: string;
  /** A build folder outside of it, which becomes `PackageArtifact/build`; null if the folder has its build. */
  readonly artifact: string | null;
}

/** The flag that names a build folder. */
export interface ArtifactFlag {
  readonly artifact?: string;
}

/** Adds the flag that names a build folder. */
export function addArtifactFlag(command: Command): Command {
  return command.option('--artifact <dir>', 'build folder to pack as PackageArtifact/build');
}

/**
 * Lists the files of a package from its folder and its build folder.
 * @throws CannotRunError if a part of them cannot be read, or they cannot be one package.
 */
export async function listPackage({ folder, artifact }: PackageFolders): Promise<FolderListing> {
  const listing = await listFolder(folder);
  if (artifact === null) return listing;
  const taken = listing.files.find((each) => each.path.startsWith('PackageArtifact/'));
  if (taken !== undefined)
    throw new CannotRunError(
      `${taken.file} is in the folder, and --artifact names another build. Remove ${path.join(folder, 'PackageArtifact')}, or leave out --artifact.`,
    );
  const build = await listFolder(artifact, `${BUILD}/`);
  if (build.files.length === 0 && build.problems.length === 0)
    throw new CannotRunError(`The build folder ${artifact} has no files. Build the module first.`);
  return {
    files: [...listing.files, ...build.files].toSorted((a, b) => compareText(a.path, b.path)),
    litter: [...listing.litter, ...build.litter].toSorted(compareText),
    problems: [...listing.problems, ...build.problems],
  };
}
