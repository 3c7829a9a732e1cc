import { DESCRIPTOR_PATH } from '../../package/layout/layout.ts';
import { Pacer } from '../../package/archive/pacer.ts';
import { compareContent, type ContentDifference } from '../../package/record/compare-content.ts';
import type { PublicationRecord } from '../../package/record/publication-record.ts';
import { hashDescriptor, hashFiles, type PublishedFile } from '../../package/record/published-hashes.ts';
import { compareText } from '../../package/text/compare-text.ts';
import { CannotRunError } from '../exit-codes.ts';
import type { FoundContent } from './read-content.ts';

/** The result of a comparison with a record. */
export interface Verification {
  /** Whether the file is the archive that was uploaded, byte for byte. */
  readonly isUploadedArchive: boolean;
  /** None: the package is what was published. */
  readonly differences: readonly ContentDifference[];
  /** Whether files differ that the record does not name. */
  readonly hasUnnamedDifferences: boolean;
}

/**
 * Compares a package with a record.
 * @throws CannotRunError if the record contradicts itself.
 */
export async function verifyContent(
  { archiveSha256, descriptor, files }: FoundContent,
  record: PublicationRecord,
): Promise<Verification> {
  const isUploadedArchive = archiveSha256 === record.archiveSha256;
  if (record.files !== null && (await filesHash(record.files)) !== record.filesSha256)
    throw new CannotRunError('The record contradicts itself: its files do not have its filesSha256.');
  const differences = compareContent(record.files ?? files, files);
  const hasUnnamedDifferences = record.files === null && (await filesHash(files)) !== record.filesSha256;
  if (descriptor === null) {
    const missing: ContentDifference = { kind: 'missing', path: DESCRIPTOR_PATH };
    return { isUploadedArchive, hasUnnamedDifferences, differences: [missing, ...differences] };
  }
  // A package that makes a new module names none; the import gives it its ID.
  const named = { ...descriptor, moduleId: descriptor.moduleId ?? record.moduleId };
  const isSame = hashDescriptor(named).toString('hex') === record.descriptorSha256;
  // Languages that an upload does not mention stay: then the revision has another descriptor than its upload.
  if (isSame || isUploadedArchive) return { isUploadedArchive, hasUnnamedDifferences, differences };
  const changed: ContentDifference = { kind: 'changed', path: DESCRIPTOR_PATH };
  return { isUploadedArchive, hasUnnamedDifferences, differences: [changed, ...differences] };
}

async function filesHash(files: readonly PublishedFile[]): Promise<string> {
  const pacer = new Pacer();
  return (await hashFiles(await pacer.sort(files, (a, b) => compareText(a.path, b.path)), pacer)).toString(
    'hex',
  );
}
