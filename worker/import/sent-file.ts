import type { FileToValidate } from '../../shared/package/file-rules.ts';

/** A file as it goes to a thread: one text of all paths is copied at once, a set of them path by path. */
export type SentFile =
  | (Omit<Extract<FileToValidate, { kind: 'descriptor' }>, 'paths'> & { readonly paths: string })
  | Exclude<FileToValidate, { kind: 'descriptor' }>;

/** No path of a package has it. */
const BETWEEN_PATHS = '\0';

export function sentFile(file: FileToValidate): SentFile {
  return file.kind === 'descriptor' ? { ...file, paths: [...file.paths].join(BETWEEN_PATHS) } : file;
}

export function receivedFile(file: SentFile): FileToValidate {
  return file.kind === 'descriptor' ? { ...file, paths: new Set(file.paths.split(BETWEEN_PATHS)) } : file;
}
