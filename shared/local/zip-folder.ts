import { createWriteStream } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeZip, type ZipFile } from '../package/archive/write-zip.ts';

/** The files of a folder, in the order of their paths. */
export async function* filesOf(folder: string): AsyncGenerator<ZipFile> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const paths = files.map((file) => path.relative(folder, file).split(path.sep).join('/')).toSorted();
  for (const each of paths) yield { path: each, content: await readFile(path.join(folder, each)) };
}

/** Zips files into a file; the same files have the same bytes. */
export async function zipFiles(
  files: AsyncIterable<ZipFile> | Iterable<ZipFile>,
  target: string,
): Promise<void> {
  const half = `${target}.${process.pid}.tmp`;
  await pipeline(writeZip(files), createWriteStream(half));
  await rename(half, target);
}
