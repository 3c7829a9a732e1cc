import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { listExportedFiles, noteCrc32 } from '../../shared/db/module-exports.ts';
import type { ExportedFile, ExportedRevision } from '../../shared/db/module-exports.ts';
import { fileKey } from '../../shared/db/stored-files.ts';
import { compareText } from '../../shared/package/compare-text.ts';
import { exportedDescriptor } from '../../shared/package/exported-descriptor.ts';
import { DESCRIPTOR_PATH } from '../../shared/package/layout.ts';
import type { ZipFile } from '../../shared/package/write-zip.ts';
import { zipLength } from '../../shared/package/write-zip.ts';
import type { ApiContext } from '../api-context.ts';

/** Counts the forms that exports have had: another form gives other bytes, and so needs other ETags. */
const FORM = 1;

/** A file whose CRC-32 is known. */
export interface PackedFile extends ExportedFile {
  readonly crc32: number;
}

/** The package of a revision, before the contents of its files are read. */
export interface ModulePackage {
  readonly descriptor: ZipFile;
  /** By path. */
  readonly files: readonly ExportedFile[];
  /** Of the whole archive. */
  readonly sizeBytes: number;
}

/** A strong ETag: equal for equal bytes, which come from the content, the owner and `asNew` alone. */
export function packageTag({ organizationId, fingerprint }: ExportedRevision, asNew: boolean): string {
  const hash = createHash('sha256').update(JSON.stringify([FORM, organizationId, fingerprint, asNew]));
  return `"${hash.digest('base64url')}"`;
}

/** What an export holds: the descriptor first, then the files by path. */
export async function modulePackage(
  api: ApiContext,
  found: ExportedRevision,
  asNew: boolean,
): Promise<ModulePackage> {
  const { descriptor, organizationId } = found;
  const content = Buffer.from(exportedDescriptor(descriptor, { organizationId, asNew }));
  const path = DESCRIPTOR_PATH;
  const listed = await listExportedFiles(api.database, found);
  // Sorted here: the order of a database's texts depends on how it was made.
  const files = listed.toSorted((a, b) => compareText(a.path, b.path));
  const sizeBytes = zipLength([{ path, sizeBytes: content.length }, ...files]);
  return { descriptor: { path, content }, files, sizeBytes };
}

/** The files with their CRC-32s. Those of revisions from before these were kept are read for it, once. */
export async function withCrc32(
  { database, storage }: ApiContext,
  files: readonly ExportedFile[],
): Promise<readonly PackedFile[]> {
  const packed: PackedFile[] = [];
  for (const file of files) {
    let sum = file.crc32;
    if (sum === null) {
      sum = 0;
      for await (const piece of await storage.stream(fileKey(file.objectKey)))
        sum = crc32(piece as Buffer, sum);
      await noteCrc32(database, file.objectKey, sum);
    }
    packed.push({ ...file, crc32: sum });
  }
  return packed;
}
