import { expect, test } from 'vitest';
import { compareContent } from '../../../shared/package/record/compare-content.ts';

/** Files by path; the same text stands for the same content. */
function files(contents: Readonly<Record<string, string>>) {
  return Object.entries(contents).map(([path, sha256]) => ({ path, sha256 }));
}

test('the same files in another order do not differ', () =>
  expect(compareContent(files({ a: '1', b: '2' }), files({ b: '2', a: '1' }))).toEqual([]));

test('a changed, a missing and an added file are named, by path', () =>
  expect(compareContent(files({ a: '1', b: '2' }), files({ c: '3', a: '9' }))).toEqual([
    { kind: 'changed', path: 'a' },
    { kind: 'missing', path: 'b' },
    { kind: 'added', path: 'c' },
  ]));

test('a file with the content of a missing one was renamed; each missing file is the origin of one other', () =>
  expect(compareContent(files({ a: '1', b: '1' }), files({ c: '1', d: '1', e: '1' }))).toEqual([
    { kind: 'renamed', path: 'c', from: 'a' },
    { kind: 'renamed', path: 'd', from: 'b' },
    { kind: 'added', path: 'e' },
  ]));

test('a copy of a file that is still there was added', () =>
  expect(compareContent(files({ a: '1' }), files({ a: '1', b: '1' }))).toEqual([
    { kind: 'added', path: 'b' },
  ]));

test('two files that were exchanged have changed', () =>
  expect(compareContent(files({ a: '1', b: '2' }), files({ a: '2', b: '1' }))).toEqual([
    { kind: 'changed', path: 'a' },
    { kind: 'changed', path: 'b' },
  ]));
