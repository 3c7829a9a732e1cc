import type { PackageLimits } from '../../../shared/package/limits.ts';
import type { PackageProblemCode } from '../../../shared/package/problem-codes.ts';
import type { ZipEntrySpec, ZipOptions } from '../zip-spec.ts';

/** An archive that must be refused, and the expected problem. */
export interface HostileArchive {
  readonly entries?: readonly ZipEntrySpec[];
  readonly options?: ZipOptions;
  readonly bytes?: Buffer;
  readonly limits?: Partial<PackageLimits>;
  readonly code: PackageProblemCode;
  /** The entry that the problem names. */
  readonly entry?: string;
  readonly offset?: number;
  /** Found by the pass over the entries; otherwise found in the directory. */
  readonly inPass?: true;
}

/** The content of the file of most archives. */
export const text = 'some text, some text, some text, some text';
/** The hostile entry of most archives. */
export const file: ZipEntrySpec = { path: 'a.txt', content: text };
/** A second entry, with nothing wrong. */
export const other: ZipEntrySpec = { path: 'b.txt', content: 'other' };
/** Bytes of the file's local header, which its data follow. */
export const localHeaderBytes = 30 + 'a.txt'.length;
/** A name in code page 866. */
export const cyrillic = Buffer.from([0xe2, 0xa5, 0xe1, 0xe2, 0x2e, 0x74, 0x78, 0x74]);
/** Enough content to be read in pieces. */
export const bombContent = Buffer.alloc(2_000_000);

/** An archive whose local header is false: found by the pass over the entries. */
export function lying(entry: Partial<ZipEntrySpec>, code: PackageProblemCode, offset = 0): HostileArchive {
  return { entries: [{ ...file, ...entry }, other], code, entry: 'a.txt', offset, inPass: true };
}

/** An archive whose records contradict each other. */
export function structure(bytes: Buffer, code: PackageProblemCode, offset?: number): HostileArchive {
  return { bytes, code, ...(offset === undefined ? {} : { offset }) };
}

/** An archive whose file has these extra fields in the directory. */
export function centralExtra(
  extra: Buffer,
  code: PackageProblemCode = 'archive-entry-headers-disagree',
): HostileArchive {
  return { entries: [{ ...file, centralExtra: extra }], code, entry: 'a.txt' };
}
