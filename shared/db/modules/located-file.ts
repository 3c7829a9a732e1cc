import type { PackageFile } from '../../package/package-report.ts';

/** A file of a revision. */
export type RevisionFile = Pick<PackageFile, 'path' | 'sizeBytes' | 'mediaType' | 'sha256'>;

/** A file, and the archive that contains it. */
export interface LocatedFile extends PackageFile {
  readonly archiveKey: string;
}

/** The columns of a file `f` of revision `r` as a `LocatedFile`. */
export const LOCATED_FILE = `
  f.path, f.media_type, f.size_bytes, encode(f.sha256, 'hex') as sha256, f.crc32, f.method, f.data_offset,
  f.packed_bytes, f.packed_crc32, r.archive_key`;
