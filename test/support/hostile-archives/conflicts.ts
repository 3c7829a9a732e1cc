import type { ZipEntrySpec } from '../zip-spec.ts';
import { type HostileArchive, file } from './hostile-archive.ts';

function conflict(first: ZipEntrySpec, second: ZipEntrySpec, entry: string): HostileArchive {
  return { entries: [first, second], code: 'archive-entry-name-conflict', entry };
}

/** Names that cannot exist next to each other. */
export const conflicts: Record<string, HostileArchive> = {
  'equal names': conflict(file, file, 'a.txt'),
  'names equal ignoring case': conflict(file, { ...file, path: 'A.TXT' }, 'A.TXT'),
  'names equal ignoring case outside ASCII': conflict({ path: 'ä/ß.js' }, { path: 'Ä/SS.js' }, 'Ä/SS.js'),
  'a composed and a decomposed name': conflict(
    { path: 'f\u00fcr.js' },
    { path: 'fu\u0308r.js' },
    'f\u00fcr.js',
  ),
  'a compatibility form': conflict({ path: '\ufb01le.js' }, { path: 'file.js' }, 'file.js'),
  'a file and a folder entry of one name': conflict({ path: 'a', content: 'x' }, { path: 'a/' }, 'a/'),
  'a folder entry and a file of one name': conflict({ path: 'a/' }, { path: 'a', content: 'x' }, 'a'),
  'a file and a folder that others lie in': conflict({ path: 'a', content: 'x' }, { path: 'A/b' }, 'a'),
  'a file and a folder further up': conflict({ path: 'x/y/z' }, { path: 'x', content: 'x' }, 'x'),
  'a file and a folder that several lie in': {
    entries: [{ path: 'x/a/b' }, { path: 'x/a/c/d' }, { path: 'x/a' }, { path: 'x/e' }, { path: 'y' }],
    code: 'archive-entry-name-conflict',
    entry: 'x/a',
  },
  'three names equal ignoring case': {
    entries: [{ path: 'a' }, { path: 'A' }, { path: 'b' }, { path: 'a' }],
    code: 'archive-entry-name-conflict',
    entry: 'A',
  },
  'a name with and without a leading dot segment': conflict(file, { ...file, path: './a.txt' }, 'a.txt'),
  'a name with a leading dot segment in another Unicode form': conflict(
    { path: 'f\u00fcr.js' },
    { path: './fu\u0308r.js' },
    'f\u00fcr.js',
  ),
  'a name that is marked as UTF-8 and one that is not': conflict(
    { path: 'f\u00fcr.js' },
    { path: Buffer.from('f\u00fcr.js') },
    'f\u00fcr.js',
  ),
  'names with backslashes that are equal ignoring case': conflict({ path: 'a\\b' }, { path: 'A\\b' }, 'A\\b'),
  'the root twice': conflict({ path: './' }, { path: './' }, './'),
  'the root with data': {
    entries: [{ path: './', content: 'data', method: 'stored' }],
    code: 'archive-entry-name-conflict',
    entry: './',
  },
  'a file in the root beside one in the folder of its name': conflict(
    { path: './a', content: 'x' },
    { path: 'a/b' },
    'a',
  ),
  'a folder entry twice': conflict({ path: 'a/' }, { path: 'a/' }, 'a/'),
  'a folder entry with data': {
    entries: [{ path: 'a/', content: 'data', method: 'stored' }],
    code: 'archive-entry-name-conflict',
    entry: 'a/',
  },
};
