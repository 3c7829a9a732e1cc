import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { countingSource, readArchive } from './read-archive.ts';

const folder = join(import.meta.dirname, '../../../fixtures/zip/writers');
const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;

function hashes(files: ReadonlyMap<string, Buffer>): Record<string, string> {
  const found = [...files].map(([path, content]): [string, string] => [
    path,
    createHash('sha256').update(content).digest('hex'),
  ]);
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('archives of real writers are read byte for byte', () =>
  test.each(Object.entries(index))('%s', async (name, expected) => {
    const archive = readFileSync(join(folder, name));
    const inMemory = await readArchive(archive);
    expect(inMemory.problems).toEqual([]);
    expect(hashes(inMemory.files)).toEqual(expected);
    const inPieces = await readArchive(countingSource(archive, 7), {}, false);
    expect(inPieces.problems).toEqual([]);
    expect(hashes(inPieces.files)).toEqual(expected);
  }));
