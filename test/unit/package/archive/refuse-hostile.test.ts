import { describe, expect, test } from 'vitest';

import type { Problem } from '../../../../shared/package/problem.ts';
import { HOSTILE_ARCHIVES, hostileBytes } from '../../../support/hostile-archives.ts';
import { readArchive } from './read-archive.ts';

/** A problem on one line, without the numbers that depend on the compression of the machine's zlib. */
function problemLine({ code, entry, detail }: Problem): string {
  return `${code} ${entry ?? '-'} | ${detail.replace(/\d{2,}/g, '#')}`;
}

/** The location of the problem in the archive's structure: which byte of which record does not depend on zlib. */
function location(archive: Buffer, { offset = -1 }: Problem): string {
  const marks: Readonly<Record<string, string>> = {
    'PK\x01\x02': 'directory record',
    'PK\x03\x04': 'local record',
    'PK\x05\x06': 'end record',
    'PK\x06\x06': 'ZIP64 end record',
    'PK\x06\x07': 'ZIP64 locator',
  };
  if (offset === archive.length) return 'the end';
  return (
    marks[archive.toString('latin1', offset, offset + 4)] ?? `${archive.length - offset} bytes before the end`
  );
}

describe.each(Object.entries(HOSTILE_ARCHIVES))('refused for its %s:', (group, cases) =>
  test.each(Object.entries(cases))('%s', async (_title, hostile) => {
    const bytes = hostileBytes(hostile);
    const reading = await readArchive(bytes, hostile.limits);
    const problems = hostile.inPass === true ? reading.entryProblems : reading.directoryProblems;
    const { code, entry, offset } = hostile;
    const expected = {
      code,
      ...(entry === undefined ? {} : { entry }),
      ...(offset === undefined ? {} : { offset }),
    };
    expect(reading.problems).toContainEqual(expect.objectContaining(expected));
    expect(problems).toContainEqual(expect.objectContaining(expected));
    for (const each of reading.problems) expect(each.detail).toMatch(/^["A-Z0-9].*\.$/s);
    if (entry !== undefined && hostile.inPass === true) expect(reading.files.has(entry)).toBe(false);
    if (hostile.inPass !== true) expect(reading.entries).toEqual([]);
    expect(reading.problems.map(problemLine)).toMatchSnapshot();
    // Entries that are read in pieces are refused for the same reason.
    const { problems: inPieces } = await readArchive(bytes, hostile.limits, false);
    expect(inPieces).toEqual(reading.problems);
    if (group === 'structure')
      expect(reading.directoryProblems.map((each) => location(bytes, each))).toMatchSnapshot('locations');
    for (const each of reading.problems) {
      expect(each.offset, each.detail).toBeGreaterThanOrEqual(0);
      expect(each.offset).toBeLessThanOrEqual(bytes.length);
    }
  }),
);
