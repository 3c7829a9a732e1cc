import { validateFile } from '../../shared/package/file-rules.ts';
import type { ArchiveEntry } from '../../shared/package/archive/archive.ts';
import { serveTasks } from '../../shared/threads/serve-tasks.ts';
import { receivedFile, type SentFile } from './sent-file.ts';

/** A file that a thread opens and validates. */
interface ClosedFile {
  readonly bytes: Uint8Array;
  readonly entry: ArchiveEntry;
  readonly file: SentFile;
}

function fileTasks() {
  return {
    validate: ({ bytes, entry, file }: ClosedFile) =>
      validateFile(
        { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), entry },
        receivedFile(file),
      ),
  };
}

/** What a thread for files does. */
export type FileTasks = ReturnType<typeof fileTasks>;

serveTasks(fileTasks);
