import { validateFile, type FileToValidate } from '../../shared/package/file-rules.ts';
import type { ArchiveEntry } from '../../shared/package/archive/archive.ts';
import { serveTasks } from '../../shared/threads/serve-tasks.ts';

/** A file that a thread opens and validates. */
interface SentFile {
  readonly bytes: Uint8Array;
  readonly entry: ArchiveEntry;
  readonly file: FileToValidate;
}

function fileTasks() {
  return {
    validate: ({ bytes, entry, file }: SentFile) =>
      validateFile({ bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), entry }, file),
  };
}

/** What a thread for files does. */
export type FileTasks = ReturnType<typeof fileTasks>;

serveTasks(fileTasks);
