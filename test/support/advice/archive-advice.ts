import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { normalName } from '../../../shared/package/archive/entry-name.ts';
import { bufferSource } from '../../../shared/package/archive/source.ts';
import type { PackageReport } from '../../../shared/package/package-report.ts';
import type { Problem } from '../../../shared/package/problem.ts';
import { validatePackage } from '../../../shared/package/validate-package.ts';
import type { HostileArchive } from '../hostile-archives/hostile-archive.ts';
import { hostileBytes } from '../hostile-archives.ts';
import { examplePackage, testSettings } from '../package-builder.ts';
import { buildZip } from '../zip-builder.ts';
import type { ZipEntrySpec } from '../zip-spec.ts';

/** The files from which the vendor builds the archive: names and contents, and nothing that a tool adds. */
type Files = readonly ZipEntrySpec[];

type Follow = (files: Files, problem: Problem, round: number) => Files;

/** A problem names an entry by its path: without a leading `./`, and in Unicode NFC. */
const isNamed = ({ path }: ZipEntrySpec, { entry = '' }: Problem) =>
  [String(path), normalName(String(path))].includes(entry);

/** Files with only what a folder on a disk has. */
function plain(files: Files): Files {
  return files.map(({ path, content = '' }) => ({ path, content }));
}

function withSlashes(files: Files): Files {
  return plain(files).map((file) => ({ ...file, path: String(file.path).replaceAll('\\', '/') }));
}

const rename: Follow = (files, problem, round) => {
  // A name that cannot be shown as it is, such as one with a line feed, is the only one that is not shown so.
  const at = Math.max(
    files.findIndex((file) => isNamed(file, problem)),
    0,
  );
  return plain(files).map((file, index) => (index === at ? { ...file, path: `f${round}.txt` } : file));
};

const remove: Follow = (files, problem) => {
  const at = files.findLastIndex((file) => isNamed(file, problem));
  const index = at === -1 ? files.length - 1 : at;
  return files.filter((_, each) => each !== index);
};

const shrink: Follow = (files, problem) => {
  const [, limit] = /more than (\d+)\./.exec(problem.detail) ?? [];
  return files.map((file) =>
    isNamed(file, problem)
      ? { ...file, content: Buffer.from(file.content ?? '').subarray(0, Number(limit)) }
      : file,
  );
};

const replace: Follow = (files, problem) =>
  files.map((file) => (isNamed(file, problem) ? { path: file.path, content: 'an ordinary file' } : file));

const bundle: Follow = (files) => [
  { path: 'bundle.js', content: files.map(({ content = '' }) => String(content)).join('') },
];

const keepNeeded: Follow = (files) => files.slice(0, 1).map(({ path }) => ({ path, content: 'x' }));

/** The edits that messages about archives advise. */
const ADVICE: readonly (readonly [sentence: RegExp, follow: Follow])[] = [
  [/ Rename the file\.$| Rename it\.$/, rename],
  [/ Rename the file, or build the ZIP with `[^`]+` or `[^`]+`, which write UTF-8\.$/, rename],
  [/ Build the ZIP with `modulectl pack \.` or `tar -a -cf package\.zip \*`\. Where [^.]*\.$/, withSlashes],
  [/ Rename or remove one of them\.$/, remove],
  [/ Build the ZIP again(?: with an ordinary tool)?\.$/, plain],
  [/ Build the ZIP with deflate(?:, the default of nearly every tool)?\.$/, plain],
  [/ Build (?:it|the ZIP) as a single file\.$| Build the ZIP without a password\.$/, plain],
  [/ cut off or damaged; build it again\.$| Check that the upload is the whole ZIP\.$/, plain],
  [/ Make the file smaller or split it\.$/, shrink],
  [/ Bundle the build into fewer files\.$/, bundle],
  [/ Leave out what the module does not need\.$/, keepNeeded],
  [/ Leave out comments and extra fields\.$/, plain],
  [/ Replace it by an ordinary file\.$/, replace],
];

function adviceIn(detail: string): Follow {
  const [, follow] = ADVICE.find(([sentence]) => sentence.test(detail)) ?? [];
  if (follow === undefined) throw new Error(`the message does not say what to do: ${detail}`);
  return follow;
}

async function check(bytes: Buffer, { limits }: HostileArchive): Promise<PackageReport> {
  return validatePackage(
    bufferSource(bytes),
    testSettings({ limits: { ...DEFAULT_PACKAGE_LIMITS, ...limits } }),
  );
}

function isOfArchive({ code }: Problem): boolean {
  return code.startsWith('archive-');
}

/** What a report says about a hostile archive. */
export async function archiveMessages(hostile: HostileArchive): Promise<readonly string[]> {
  return (await check(hostileBytes(hostile), hostile)).problems.map(({ detail }) => detail);
}

/**
 * Does what the messages about an archive say until it has no problem as an archive; then these files are the build of
 * a package. Returns that package's problems.
 * @throws Error where a message does not say what to do, or doing it leads nowhere
 */
export async function followArchiveAdvice(hostile: HostileArchive): Promise<readonly Problem[]> {
  // Where the bytes were made without entries, the vendor's folder has one file.
  let files: Files = hostile.entries ?? [{ path: 'a.txt', content: 'x' }];
  let bytes = hostileBytes(hostile);
  for (let round = 0; round < 20; round += 1) {
    const [problem] = (await check(bytes, hostile)).problems.filter(isOfArchive);
    if (problem === undefined) return packageProblems(files);
    files = adviceIn(problem.detail)(files, problem, round);
    bytes = buildZip(files);
  }
  throw new Error('following the messages leads nowhere');
}

async function packageProblems(files: Files): Promise<readonly Problem[]> {
  const example = Object.entries(examplePackage()).map(([path, content = '']) => ({ path, content }));
  const build = files.map((file) => ({
    ...file,
    path: `PackageArtifact/build/${normalName(String(file.path))}`,
  }));
  return (await check(buildZip([...example, ...build]), { code: 'archive-unreadable' })).problems;
}
