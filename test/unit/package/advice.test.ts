import { describe, expect, test } from 'vitest';
import { PACKAGE_PROBLEMS, type PackageProblemCode } from '../../../shared/package/problem-codes.ts';
import { archiveMessages, followArchiveAdvice } from '../../support/advice/archive-advice.ts';
import { followAdvice, followReports } from '../../support/advice/follow-advice.ts';
import { ADVICE_VARIANTS } from '../../support/advice/variants.ts';
import { INVALID_VALUES, packagesWithInvalidValues } from '../../support/advice/invalid-values.ts';
import { PACKAGE_ADVICE } from '../../support/advice/package-advice.ts';
import { HOSTILE_ARCHIVES } from '../../support/hostile-archives.ts';
import { HOSTILE_SVGS } from '../../support/hostile-svgs.ts';
import { INVALID_PACKAGES } from '../../support/invalid-packages.ts';
import { examplePackage } from '../../support/package-builder.ts';

/** Raised where the archive is read or the registry is queried: their advice is followed there. */
const ELSEWHERE = /^(?:archive|registry|auth|check)-|^layout-part-removed$/;

const isCode = (code: string): code is PackageProblemCode => code in PACKAGE_PROBLEMS;
const CODES = Object.keys(PACKAGE_PROBLEMS).filter(isCode);

test('the advice of every code is followed', () => {
  const expected = CODES.filter((code) => !ELSEWHERE.test(code)).toSorted();
  expect(Object.keys(PACKAGE_ADVICE).toSorted()).toEqual(expected);
  expect(Object.keys(INVALID_PACKAGES).toSorted()).toEqual(expected);
});

describe('who does literally what a problem says gets rid of it, and of every error:', () => {
  test.each(Object.entries(INVALID_PACKAGES))('%s', async (code, entries) => {
    const followed = await followAdvice(entries, isCode(code) ? code : undefined);
    expect(followed.join('\n')).toContain(`${code}: `);
  });

  test.each(ADVICE_VARIANTS)('%s, %s', async (code, _, entries) => {
    const followed = await followAdvice(entries, code);
    expect(followed.join('\n')).toContain(`${code}: `);
  });

  test.each(HOSTILE_SVGS)('an SVG image with %s', async (_, content) => {
    const followed = await followAdvice(examplePackage({ 'ModuleLogo/logo.svg': content }));
    expect(followed.join('\n')).toContain('layout-file-type: ');
  });

  test.each(INVALID_VALUES)('a value that is %s, wherever it is', async (_, value) => {
    for (const entries of packagesWithInvalidValues(value)) await followReports(entries);
  });
});

describe('who does literally what a problem of the archive says gets rid of it, and of every error:', () => {
  for (const [group, archives] of Object.entries(HOSTILE_ARCHIVES)) {
    test.each(Object.entries(archives))(`${group}: %s`, async (_, hostile) => {
      expect(await followArchiveAdvice(hostile)).toEqual([]);
    });
  }

  test('no message names a command that only a clone has: the public registry could give another program', async () => {
    const all = Object.values(HOSTILE_ARCHIVES).flatMap((each) => Object.values(each));
    const messages = (await Promise.all(all.map(archiveMessages))).flat();
    expect(messages.filter((each) => each.includes('`modulectl pack .`'))).not.toEqual([]);
    expect(messages.filter((each) => each.includes('npx'))).toEqual([]);
  });

  test('a backslash may be of the name itself, which no tool turns into a slash: the message says to rename that file', async () => {
    const [message] = await archiveMessages({
      entries: [{ path: 'a\\b.txt', content: 'x' }],
      code: 'archive-entry-name-unsafe',
    });
    expect(message).toMatch(/ Where a file's own name has a backslash, rename the file\.$/);
  });

  test('every code of archives is among them', () => {
    const codes = Object.values(HOSTILE_ARCHIVES).flatMap((each) =>
      Object.values(each).map(({ code }) => code),
    );
    expect([...new Set(codes)].toSorted()).toEqual(
      CODES.filter((code) => code.startsWith('archive-')).toSorted(),
    );
  });
});
