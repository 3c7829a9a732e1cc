import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readDirectory } from '../../package/archive/read-directory.ts';
import { openEntry } from '../../package/archive/open-entry.ts';
import { readEntries } from '../../package/archive/read-entries.ts';
import type { PackageSource } from '../../package/archive/source.ts';
import { isInputDescriptor } from '../../package/descriptor/validate-descriptor.ts';
import type { Descriptor } from '../../package/descriptor/descriptor.ts';
import { moduleSchema } from '../../package/descriptor/module-schema.ts';
import { normalDescriptor } from '../../package/descriptor/normal-descriptor.ts';
import { DESCRIPTOR_PATH } from '../../package/layout/layout.ts';
import { litterIn } from '../../package/layout/litter.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../package/limits.ts';
import type { Problem } from '../../package/problem.ts';
import type { PublishedFile } from '../../package/record/published-hashes.ts';
import { withoutEmptyMembers } from '../../package/schema/optional-members.ts';
import { parseJson } from '../../package/text/parse-json.ts';
import { CannotRunError, reasonOf, RejectedError } from '../exit-codes.ts';
import { openFileSource } from '../file-source.ts';
import { listFolder } from '../list-folder.ts';

/** What a package contains, to be compared with a record. */
export interface FoundContent {
  /** Of a ZIP, in lower-case hex; null for a folder. */
  readonly archiveSha256: string | null;
  /** Null: there is none that can be read. */
  readonly descriptor: Descriptor | null;
  readonly files: readonly PublishedFile[];
}

const PIECE_BYTES = 1024 * 1024;
const MAX_DESCRIPTOR_BYTES = 64 * 1024 * 1024;

/** The server that imported the package may have higher limits than the default ones. */
const LIMITS = {
  ...DEFAULT_PACKAGE_LIMITS,
  maxPackageBytes: Number.MAX_SAFE_INTEGER,
  maxEntries: 1_000_000,
  maxEntryBytes: Number.MAX_SAFE_INTEGER,
  maxUnpackedBytes: Number.MAX_SAFE_INTEGER,
  maxPathBytes: 65_535,
  maxPathDepth: 1_000,
};

/**
 * The content of a ZIP.
 * @throws CannotRunError if it cannot be read.
 * @throws RejectedError if it is not a ZIP that can be imported.
 */
export async function readZipContent(file: string): Promise<FoundContent> {
  const source = await openFileSource(file);
  try {
    const archiveSha256 = await hashOf(source.stream(0, source.sizeBytes));
    return { archiveSha256, ...(await contentOf(file, source)) };
  } finally {
    await source.close();
  }
}

async function contentOf(file: string, source: PackageSource): Promise<Omit<FoundContent, 'archiveSha256'>> {
  const directory = await readDirectory(source, LIMITS);
  refuse(file, directory.problems);
  const files: PublishedFile[] = [];
  let descriptor: Descriptor | null = null;
  const problems = await readEntries(source, directory, LIMITS, {
    wantsWhole: ({ path, sizeBytes }) => path === DESCRIPTOR_PATH && sizeBytes <= MAX_DESCRIPTOR_BYTES,
    whole: (_entry, closed) => {
      const opened = openEntry(closed);
      if ('code' in opened) return opened;
      descriptor = descriptorOf(opened.content);
      return undefined;
    },
    passed: ({ path }, { sha256 }) => {
      if (path !== DESCRIPTOR_PATH && litterIn(path) === null) files.push({ path, sha256 });
    },
  });
  refuse(file, problems);
  return { descriptor, files };
}

/**
 * The content of an unpacked package.
 * @throws CannotRunError if a part of it cannot be read.
 * @throws RejectedError if it has entries that a package cannot contain.
 */
export async function readFolderContent(folder: string): Promise<FoundContent> {
  const listing = await listFolder(folder);
  refuse(folder, listing.problems);
  const files: PublishedFile[] = [];
  let descriptor: Descriptor | null = null;
  for (const { path, file } of listing.files) {
    if (path === DESCRIPTOR_PATH) descriptor = descriptorOf(await readFile(file).catch(cannotRead(file)));
    else {
      const pieces = createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
      files.push({ path, sha256: await hashOf(pieces).catch(cannotRead(file)) });
    }
  }
  return { archiveSha256: null, descriptor, files };
}

function refuse(path: string, problems: readonly Problem[]): void {
  const [first] = problems;
  if (first !== undefined) throw new RejectedError(`${path} is not a package: ${first.detail}`);
}

function cannotRead(file: string): (error: unknown) => never {
  return (error) => {
    throw new CannotRunError(`Cannot read ${file}: ${reasonOf(error)}.`);
  };
}

/** A descriptor in normal form; null if it is not one. */
function descriptorOf(content: Buffer): Descriptor | null {
  const parsed = parseJson(DESCRIPTOR_PATH, content);
  if ('detail' in parsed) return null;
  const value = withoutEmptyMembers(moduleSchema, parsed.value);
  return isInputDescriptor(value) ? normalDescriptor(value) : null;
}

async function hashOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
