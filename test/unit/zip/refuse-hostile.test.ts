import { describe, expect, test } from 'vitest';

import type { Problem } from '../../../shared/package/problem.ts';
import { HOSTILE_ARCHIVES, hostileBytes } from '../../support/hostile-archives.ts';
import { readArchive } from './read-archive.ts';

/** A problem on one line, without the numbers that depend on how well the machine's zlib packs. */
function told({ code, entry, detail }: Problem): string {
  return `${code} ${entry ?? '-'} | ${detail.replace(/\d{2,}/g, '#')}`;
}

describe.each(Object.entries(HOSTILE_ARCHIVES))('refused for its %s:', (_group, cases) => {
  test.each(Object.entries(cases))('%s', async (_title, hostile) => {
    const reading = await readArchive(hostileBytes(hostile), hostile.limits);
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
    expect(reading.problems.map(told)).toMatchSnapshot();
  });
});
