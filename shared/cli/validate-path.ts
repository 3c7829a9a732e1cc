import { mkdtemp, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { validatePackage } from '../package/validate-package.ts';
import type { ValidationSettings } from '../package/package-report.ts';
import type { PackageLimits } from '../package/limits.ts';
import { listProblems } from '../package/problem.ts';
import type { Problem, ProblemLists } from '../package/problem.ts';
import { CannotRunError, reasonOf, RejectedError } from './exit-codes.ts';
import { openFileSource } from './file-source.ts';
import { listFolder } from './list-folder.ts';
import type { FolderListing } from './list-folder.ts';
import { readZipEntries } from './read-zip-entries.ts';
import { removedAfter } from './removed-after.ts';
import { writePackage } from './write-package.ts';
import type { WrittenPackage } from './write-package.ts';

/** What was judged, and where its files are for a person. */
export interface JudgedPath {
  readonly lists: ProblemLists;
  readonly kind: 'folder' | 'zip';
  /** As it was given. */
  readonly path: string;
  /** The file behind an entry of the package; in a ZIP the entry itself. */
  fileOf(entry: string): string;
  /** Contents of these entries, those that can be read. */
  readEntries(entries: ReadonlySet<string>): Promise<ReadonlyMap<string, Buffer>>;
  /** Litter of a folder, which is not packed. */
  readonly litter: readonly string[];
}

/** Whether a report refuses the package. */
export function isRejected({ lists }: JudgedPath): boolean {
  return lists.errorsTotal > 0;
}

/**
 * Judges a package, or a folder as the package that `pack` makes of it, by every rule but the registry's:
 * the worker's own code.
 * @throws CannotRunError when it cannot be read.
 * @throws RejectedError when it is too large as a whole.
 */
export async function judgePath(given: string, settings: ValidationSettings): Promise<JudgedPath> {
  if (!(await isFolder(given))) return judgeZip(given, settings);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'modulectl-'));
  return removedAfter(folder, async () => {
    const { judged } = await packAndJudge(given, path.join(folder, 'package.zip'), settings);
    return judged;
  });
}

/** Whether a path leads to a folder. */
export async function isFolder(given: string): Promise<boolean> {
  const stats = await stat(given).catch((error: unknown) => {
    throw new CannotRunError(`Cannot read ${given}: ${reasonOf(error)}.`);
  });
  return stats.isDirectory();
}

/** Packs a folder into a file and judges that very file. Nothing is written where the folder holds what no package can. */
export async function packAndJudge(
  folder: string,
  target: string,
  settings: ValidationSettings,
): Promise<{ judged: JudgedPath; written: WrittenPackage | null }> {
  const listing = await listFolder(folder);
  if (listing.problems.length > 0)
    return { judged: judgedFolder(folder, listing, listing.problems, settings), written: null };
  const written = await writePackage(listing.files, target, settings.limits.maxPackageBytes);
  const problems = await problemsOf(target, settings);
  return { judged: judgedFolder(folder, listing, problems, settings), written };
}

async function problemsOf(file: string, settings: ValidationSettings): Promise<readonly Problem[]> {
  const source = await openFileSource(file);
  try {
    if (source.sizeBytes > settings.limits.maxPackageBytes)
      throw new RejectedError(
        `${file} has ${source.sizeBytes} bytes; at most ${settings.limits.maxPackageBytes} are taken.`,
      );
    return (await validatePackage(source, settings)).problems;
  } finally {
    await source.close();
  }
}

async function judgeZip(file: string, settings: ValidationSettings): Promise<JudgedPath> {
  const { limits } = settings;
  return judgedZip(file, listProblems(await problemsOf(file, settings), limits.maxReportedProblems), limits);
}

/** A ZIP of which these problems are known. */
export function judgedZip(file: string, lists: ProblemLists, limits: PackageLimits): JudgedPath {
  return {
    lists,
    kind: 'zip',
    path: file,
    fileOf: (entry) => entry,
    readEntries: (entries) => readZipEntries(file, entries, limits),
    litter: [],
  };
}

function judgedFolder(
  folder: string,
  { files, litter }: FolderListing,
  problems: readonly Problem[],
  { limits }: ValidationSettings,
): JudgedPath {
  const onDisk = new Map(files.map((each) => [each.path, each.file]));
  const fileOf = (entry: string) => onDisk.get(entry) ?? path.join(folder, entry);
  return {
    lists: listProblems(problems, limits.maxReportedProblems),
    kind: 'folder',
    path: folder,
    fileOf,
    readEntries: async (entries) => {
      const read = [...entries].map(async (entry): Promise<[string, Buffer]> => [
        entry,
        await readFile(fileOf(entry)),
      ]);
      const settled = await Promise.allSettled(read);
      return new Map(settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    },
    litter,
  };
}
