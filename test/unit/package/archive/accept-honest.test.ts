import { describe, expect, test } from 'vitest';

import { HONEST_ARCHIVES } from '../../../support/honest-archives.ts';
import { buildZip } from '../../../support/zip-builder.ts';
import { readArchive } from './read-archive.ts';

describe('accepted, in one piece and in several:', () =>
  test.each(Object.entries(HONEST_ARCHIVES))('%s', async (_title, { entries, options, paths }) => {
    const archive = buildZip(entries, options);
    const files = entries.filter(({ path }) => !path.toString().endsWith('/'));
    const expected = files.map(({ path, content: each }, index): [string, Buffer] => [
      paths?.[index] ?? path.toString(),
      Buffer.from(each ?? ''),
    ]);
    for (const isWhole of [true, false]) {
      const reading = await readArchive(archive, {}, isWhole);
      expect(reading.problems).toEqual([]);
      expect([...reading.files.keys()]).toEqual(expected.map(([path]) => path));
      for (const [path, each] of expected) expect(reading.files.get(path)?.equals(each)).toBe(true);
      expect(reading.entries).toHaveLength(entries.length);
    }
  }));
