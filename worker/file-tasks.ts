import { FILE_RULES } from '../shared/package/file-rules.ts';
import type { PackageCatalogue } from '../shared/package/package-report.ts';

/** A file whose validation runs in a thread. */
interface FileInput {
  readonly path: string;
  readonly bytes: Uint8Array;
}

interface DocumentInput extends FileInput {
  readonly mediaType: string;
}

interface DescriptorInput {
  readonly bytes: Uint8Array;
  readonly catalogue: PackageCatalogue;
  readonly paths: ReadonlySet<string>;
}

function bufferOf({ bytes }: { readonly bytes: Uint8Array }): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The validations of files that a thread runs. */
export function fileTasks() {
  return {
    descriptor: (input: DescriptorInput) =>
      FILE_RULES.descriptor(bufferOf(input), input.catalogue, input.paths),
    roles: (input: FileInput) => FILE_RULES.roles(input.path, bufferOf(input)),
    alertRules: (input: FileInput) => FILE_RULES.alertRules(input.path, bufferOf(input)),
    image: (input: FileInput) => FILE_RULES.image(input.path, bufferOf(input)),
    document: (input: DocumentInput) => FILE_RULES.document(input.path, bufferOf(input), input.mediaType),
  };
}

/** The tasks by name. */
export type FileTasks = ReturnType<typeof fileTasks>;
