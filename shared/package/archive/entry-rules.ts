import type { PackageLimits } from '../limits.ts';
import type { PackageCheck } from '../package-check.ts';
import type { PackageProblemCode } from '../problem-codes.ts';
import { type ProblemLocation, type Problem, problem } from '../problem.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';
import { nameIssues } from './entry-name.ts';

/** Compression methods (APPNOTE 4.4.5). */
const STORED = 0;
const DEFLATE = 8;
const AES = 99;

/** General purpose flags 0, 6 and 13 (APPNOTE 4.4.4): encryption, strong encryption, masked headers. */
const ENCRYPTION_FLAGS = 0x2041;

/** General purpose flag 5: compressed patched data. */
const PATCHED_FLAG = 0x20;

/** ZIP64 needs 4.5; what needs more is another codec or encryption, and some readers then skip the entry (4.4.3). */
const NEWEST_VERSION = 45;

/** The system in the upper byte for which some readers behave differently: OpenVMS. */
const VMS = 2;

const FILE_TYPE_BITS = 0xf000;
const REGULAR_FILE = 0x8000;
const FOLDER = 0x4000;

/** DOS attributes in the low bytes: volume label, folder, and Windows' mark of a link. */
const DOS_VOLUME = 0x08;
const DOS_FOLDER = 0x10;
const WINDOWS_LINK = 0x400;

const WITH_SLASHES =
  "Compress-Archive of Windows PowerShell 5.1 writes backslashes. Build the ZIP with `modulectl pack .` or `tar -a -cf package.zip *`. Where a file's own name has a backslash, rename the file.";

/** A possible problem of an entry, as a code and a text. */
type Issue = readonly [PackageProblemCode, string];

/** Whether some readers would skip the entry because of the version that it needs. */
export function needsMore(versionNeeded: number): boolean {
  return (versionNeeded & 0xff) > NEWEST_VERSION || versionNeeded >>> 8 === VMS;
}

function isEncrypted({ flags, method, extra }: CentralDirectoryHeader): boolean {
  return (flags & ENCRYPTION_FLAGS) !== 0 || method === AES || extra.hasEncryption;
}

function codecIssue(record: CentralDirectoryHeader): Issue | undefined {
  const { flags, method, versionNeeded } = record;
  if (isEncrypted(record)) {
    return ['archive-encrypted', 'it is encrypted. Build the ZIP without a password.'];
  }
  if ((method !== STORED && method !== DEFLATE) || (flags & PATCHED_FLAG) !== 0) {
    return [
      'archive-compression-unsupported',
      `it is compressed with method ${method}. Build the ZIP with deflate, the default of nearly every tool.`,
    ];
  }
  if (needsMore(versionNeeded)) {
    return [
      'archive-compression-unsupported',
      'it requires a newer or different reader than stored and deflated files need. Build the ZIP with deflate.',
    ];
  }
  return undefined;
}

/**
 * The type of a file by its Unix mode (upper half of the attributes) and its DOS attributes. They are
 * looked at whatever system the entry was made on, since some readers do so too. A folder is known by
 * its slash; one that is only marked as a folder is a file to other readers.
 */
function kindIssue({ externalAttributes, isFolder, path }: CentralDirectoryHeader): Issue | undefined {
  const code = 'archive-entry-kind-forbidden';
  const type = (externalAttributes >>> 16) & FILE_TYPE_BITS;
  const isLink = (externalAttributes & WINDOWS_LINK) !== 0;
  if ((type !== 0 && type !== REGULAR_FILE && type !== FOLDER) || isLink) {
    return [code, 'it is a link, a device, a pipe or a socket. Replace it by an ordinary file.'];
  }
  if ((externalAttributes & DOS_VOLUME) !== 0) {
    return [code, 'it is marked as a volume label. Build the ZIP again with an ordinary tool.'];
  }
  // The slash of such a folder is a backslash, which has its own problem.
  if (isFolder || path?.endsWith('\\') === true) return undefined;
  if (type === FOLDER || (externalAttributes & DOS_FOLDER) !== 0) {
    return [
      code,
      'it is marked as a folder, but its name does not end in "/". Build the ZIP again with an ordinary tool.',
    ];
  }
  return undefined;
}

function sizeIssue(record: CentralDirectoryHeader, limits: PackageLimits): Issue | undefined {
  const { sizeBytes, packedBytes, method } = record;
  if (record.isFolder && sizeBytes > 0) {
    return [
      'archive-entry-name-conflict',
      'it is a folder with data, which some readers treat as a file. Rename it.',
    ];
  }
  if (sizeBytes > limits.maxEntryBytes) {
    const detail = `it unpacks to ${sizeBytes} bytes, more than ${limits.maxEntryBytes}. Make the file smaller or split it.`;
    return ['archive-entry-too-large', detail];
  }
  // Encryption adds bytes of its own.
  if (method === STORED && sizeBytes !== packedBytes && !isEncrypted(record)) {
    return [
      'archive-entry-corrupt',
      `it is stored, but declares ${packedBytes} bytes packed and ${sizeBytes} unpacked. Build the ZIP again.`,
    ];
  }
  return undefined;
}

function diskIssue({ disk }: CentralDirectoryHeader): Issue | undefined {
  if (disk === 0) return undefined;
  return ['archive-unreadable', 'it is on another disk of a split archive. Build the ZIP as a single file.'];
}

/** Adds everything that the directory shows about one entry on its own: name, codec, kind and size. */
export function checkRecord(record: CentralDirectoryHeader, { limits, problems }: PackageCheck): void {
  const { label: entry, recordOffset: offset } = record;
  const add = (issue: Issue | undefined): void => {
    if (issue === undefined) return;
    problems.add(problem(issue[0], `"${entry}" is rejected: ${issue[1]}`, { entry, offset }));
  };
  add(codecIssue(record));
  add(kindIssue(record));
  add(sizeIssue(record, limits));
  add(diskIssue(record));
  if (record.path === undefined) return;
  for (const issue of nameIssues(record.path, record.rawName.length, limits)) {
    const detail = `The name "${entry}" is rejected: ${issue}. Rename the file.`;
    problems.add(problem('archive-entry-name-unsafe', detail, { entry, offset }));
  }
}

/** One problem for all names with backslashes (APPNOTE 4.4.17.1): some writers separate all folders so. */
export async function checkSeparators(
  records: readonly CentralDirectoryHeader[],
  { problems, pacer }: PackageCheck,
): Promise<void> {
  const wrong: CentralDirectoryHeader[] = [];
  await pacer.forEach(records, (record) => {
    if (record.path?.includes('\\')) wrong.push(record);
  });
  const [first] = wrong;
  if (first === undefined) return;
  const { label: entry, recordOffset: offset } = first;
  const names =
    wrong.length === 1 ? `The name "${entry}" has` : `${wrong.length} names, such as "${entry}", have`;
  const detail = `${names} a backslash; a ZIP separates folders with "/". ${WITH_SLASHES}`;
  problems.add(problem('archive-entry-name-unsafe', detail, { entry, offset }));
}

/** The most that an archive may unpack to: the limit, and the expansion ratio once past its grace. */
export function unpackAllowance(packedBytes: number, limits: PackageLimits): number {
  const byRatio = Math.max(limits.expansionGraceBytes, limits.maxExpansionRatio * packedBytes);
  return Math.min(limits.maxUnpackedBytes, byRatio);
}

/** Whether all entries together declare more than the archive may unpack to. */
export function checkTotals(records: readonly CentralDirectoryHeader[], limits: PackageLimits): Problem[] {
  let packedBytes = 0;
  let sizeBytes = 0;
  for (const record of records) {
    packedBytes += record.packedBytes;
    sizeBytes += record.sizeBytes;
  }
  const allowance = unpackAllowance(packedBytes, limits);
  if (sizeBytes <= allowance) return [];
  const detail = `The archive unpacks to ${sizeBytes} bytes, more than the ${allowance} that its ${packedBytes} packed bytes may.`;
  const location = passing(records, allowance);
  return [problem('archive-expands-too-far', `${detail} Leave out what the module does not need.`, location)];
}

/** The entry with which the sum goes past the allowance. */
function passing(records: readonly CentralDirectoryHeader[], allowance: number): ProblemLocation {
  let sizeBytes = 0;
  const record = records.find((each) => (sizeBytes += each.sizeBytes) > allowance);
  return record === undefined ? {} : { entry: record.label, offset: record.recordOffset };
}

/** The problem of an entry that cannot be unpacked as declared. */
export function corrupt(record: CentralDirectoryHeader, what: string): Problem {
  const detail = `"${record.label}" cannot be unpacked: ${what}. Build the ZIP again.`;
  return problem('archive-entry-corrupt', detail, { entry: record.label, offset: record.headerOffset });
}
