import type { ClosedEntry } from '../shared/package/archive/archive.ts';
import { FILE_RULES } from '../shared/package/file-rules.ts';
import type { PackageCatalogue } from '../shared/package/package-report.ts';

/** A file that a thread opens and validates. */
interface FileInput {
  readonly bytes: Uint8Array;
  readonly record: ClosedEntry['record'];
  readonly path: string;
}

interface ImageInput extends FileInput {
  readonly svgBytes: number;
}

interface DescriptorInput extends Omit<FileInput, 'path'> {
  readonly catalogue: PackageCatalogue;
  readonly paths: ReadonlySet<string>;
}

function closed({ bytes, record }: Pick<FileInput, 'bytes' | 'record'>): ClosedEntry {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), record };
}

/** The validations of files that a thread runs. */
export function fileTasks() {
  return {
    descriptor: (input: DescriptorInput) =>
      FILE_RULES.descriptor(closed(input), input.catalogue, input.paths),
    roles: (input: FileInput) => FILE_RULES.roles(closed(input), input.path),
    alertRules: (input: FileInput) => FILE_RULES.alertRules(closed(input), input.path),
    image: (input: ImageInput) => FILE_RULES.image(closed(input), input.path, input.svgBytes),
    document: (input: FileInput) => FILE_RULES.document(closed(input), input.path),
  };
}

/** The tasks by name. */
export type FileTasks = ReturnType<typeof fileTasks>;
