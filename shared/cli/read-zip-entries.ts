import type { PackageLimits } from '../package/limits.ts';
import { readDirectory } from '../package/archive/read-directory.ts';
import { readEntries } from '../package/archive/read-entries.ts';
import { openFileSource } from './file-source.ts';

/** Contents of some entries of a package that has been judged, by path; those that cannot be read are left out. */
export async function readZipEntries(
  file: string,
  wanted: ReadonlySet<string>,
  limits: PackageLimits,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (wanted.size === 0) return found;
  const source = await openFileSource(file);
  try {
    const directory = await readDirectory(source, limits);
    await readEntries(source, directory, limits, {
      wantsWhole: ({ path }) => wanted.has(path),
      whole: ({ path }, content) => {
        found.set(path, content);
      },
      passed: () => undefined,
    });
  } finally {
    await source.close();
  }
  return found;
}
