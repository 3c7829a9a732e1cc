import type { FileToValidate } from '../../shared/package/file-rules.ts';
import { Pacer } from '../../shared/package/archive/pacer.ts';

/** A file as it goes to a thread: the paths of a package are bytes that both share, for a set would be copied path by path. */
export type SentFile =
  | (Omit<Extract<FileToValidate, { kind: 'descriptor' }>, 'paths'> & { readonly paths: SharedArrayBuffer })
  | Exclude<FileToValidate, { kind: 'descriptor' }>;

/** No path of a package has it. */
const AFTER_PATH = '\0';

/** A file for a thread, made in as many turns as its paths take. */
export async function sentFile(file: FileToValidate): Promise<SentFile> {
  return file.kind === 'descriptor' ? { ...file, paths: await bytesOf(file.paths) } : file;
}

export function receivedFile(file: SentFile): FileToValidate {
  return file.kind === 'descriptor'
    ? { ...file, paths: new Set(Buffer.from(file.paths).toString().split(AFTER_PATH).slice(0, -1)) }
    : file;
}

async function bytesOf(paths: ReadonlySet<string>): Promise<SharedArrayBuffer> {
  const pacer = new Pacer();
  let length = 0;
  await pacer.forEach(paths, (each) => (length += Buffer.byteLength(each) + AFTER_PATH.length));
  const shared = new SharedArrayBuffer(length);
  const bytes = Buffer.from(shared);
  let offset = 0;
  await pacer.forEach(paths, (each) => (offset += bytes.write(each + AFTER_PATH, offset)));
  return shared;
}
