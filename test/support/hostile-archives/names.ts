import { unicodePathField } from '../zip-bytes.ts';
import { type HostileArchive, cyrillic } from './hostile-archive.ts';

/** Every name has backslashes, and a folder ends in one, as Windows PowerShell 5.1 and old .NET write them. */
const backslashes: HostileArchive = {
  entries: [
    { path: 'moduleSchema.json', content: '{}' },
    { path: 'PackageArtifact\\build\\index.js', content: 'x' },
    { path: 'ModuleToS\\', central: { externalAttributes: 0x10 } },
    { path: 'ModuleToS\\terms.pdf', content: 'x' },
  ],
  code: 'archive-entry-name-unsafe',
  entry: 'PackageArtifact\\build\\index.js',
};

function named(path: string | Buffer, entry?: string): HostileArchive {
  const shown = entry ?? (typeof path === 'string' ? path : undefined);
  return {
    entries: [{ path, content: 'x' }],
    code: 'archive-entry-name-unsafe',
    ...(shown === undefined ? {} : { entry: shown }),
    offset: 30 + Buffer.from(path).length + 3,
  };
}

/** Unsafe names of entries. */
export const names: Record<string, HostileArchive> = {
  'a parent segment': named('../evil.txt'),
  'a parent segment in the middle': named('a/../../evil.txt'),
  'a parent segment at the end': named('a/..'),
  'an absolute path': named('/etc/passwd'),
  'a backslash': named('..\\evil.txt'),
  'a backslash as separator': named('a\\b.txt'),
  'backslashes as separators of all names': backslashes,
  'a drive letter': named('C:/evil.txt'),
  'a drive letter without a slash': named('C:evil.txt'),
  'a UNC path': named('//server/share/evil.txt'),
  'a UNC path in backslashes': named('\\\\server\\share\\evil.txt'),
  'a drive letter in lower case': named('z:evil.txt'),
  'two leading dot segments': named('././a.txt', './a.txt'),
  'a dot alone': named('.'),
  'a parent segment after a leading dot segment': named('./../evil.txt', '../evil.txt'),
  'an absolute path after a leading dot segment': named('.//etc/passwd', '/etc/passwd'),
  'a drive letter after a leading dot segment': named('./C:/evil.txt', 'C:/evil.txt'),
  'a leading dot segment with a backslash': named('.\\a.txt'),
  'a dot segment in the middle': named('a/./b.txt'),
  'an empty segment': named('a//b.txt'),
  'an empty name': named('', ''),
  'an empty name of an empty file': {
    entries: [{ path: '' }],
    code: 'archive-entry-name-unsafe',
    entry: '',
    offset: 30,
  },
  'a NUL': named('a.txt\0.png', 'a.txt\\u{0}.png'),
  'a line feed': named('a\nb.txt', 'a\\u{a}b.txt'),
  'an escape character': named('a\x1b[2Jb.txt', 'a\\u{1b}[2Jb.txt'),
  'a DEL': named('a\x7f.txt', 'a\\u{7f}.txt'),
  'a C1 control': named('a\u0085.txt', 'a\\u{85}.txt'),
  'an overlong UTF-8 form': {
    ...named(Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]), '\\xc0\\xae\\xc0\\xae/a'),
    entries: [{ path: Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]), content: 'x', flags: 0x800 }],
  },
  'a lone surrogate in UTF-8': {
    ...named(Buffer.from([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'),
    entries: [{ path: Buffer.from([0xed, 0xa0, 0x80]), content: 'x', flags: 0x800 }],
  },
  'invalid UTF-8': {
    ...named(Buffer.from([0x61, 0xff]), 'a\\xff'),
    entries: [{ path: Buffer.from([0x61, 0xff]), content: 'x', flags: 0x800 }],
  },
  'a name that is not marked as UTF-8 and is in a code page': named(
    Buffer.from('f\x81r.txt', 'latin1'),
    'f\\x81r.txt',
  ),
  'an unmarked name with an overlong UTF-8 form': named(
    Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]),
    '\\xc0\\xae\\xc0\\xae/a',
  ),
  'an unmarked name in UTF-8 with a right-to-left override': named(
    Buffer.from('a\u202egnp.js'),
    'a\\u{202e}gnp.js',
  ),
  'a right-to-left override': named('a\u202egnp.js', 'a\\u{202e}gnp.js'),
  'a bidirectional isolate': named('a\u2066b.js', 'a\\u{2066}b.js'),
  'a zero-width space': named('a\u200bb.js', 'a\\u{200b}b.js'),
  'a zero-width joiner': named('a\u200db.js', 'a\\u{200d}b.js'),
  'a byte order mark': named('\ufeffa.js', '\\u{feff}a.js'),
  'a soft hyphen': named('a\u00adb.js', 'a\\u{ad}b.js'),
  'a Hangul filler': named('a\u3164.js'),
  'a line separator': named('a\u2028b.js', 'a\\u{2028}b.js'),
  'an alternate data stream': named('a.txt:stream'),
  'a Windows device': named('NUL'),
  'a Windows device with an extension': named('a/con.txt'),
  'a Windows device in a folder': named('a/prn'),
  'a folder named like a Windows device': named('aux/b.txt'),
  'a numbered printer': named('LPT9'),
  'a numbered printer as a folder': named('a/lpt0/b'),
  'a port without extension': named('com0'),
  'a Windows device with two extensions': named('aux.tar.gz'),
  'a numbered Windows device': named('Com1.log'),
  'a Windows device with a superscript number': named('lpt².txt'),
  'a Windows device with a space before its extension': named('nul .txt'),
  'a Windows device with spaces before its extension': named('a/con  .txt'),
  'a port with a superscript number': named('com¹'),
  'a console device': named('CONIN$'),
  'a console device with an extension': named('conout$.txt'),
  'a trailing dot': named('a.txt.'),
  'a trailing space': named('a.txt '),
  'a folder with a trailing dot': named('a./b.txt'),
  'a trailing space in a folder': named('a /b.txt'),
  'a dot at the end of a folder': named('a.b./c'),
  'two dots at the end': named('b..'),
  'a name of 1025 characters': named('\u0430'.repeat(1025), `${'\u0430'.repeat(1024)}…`),
  'a name of 1024 bytes that cannot be decoded': named(Buffer.alloc(256, 0xff), '\\xff'.repeat(256)),
  'a name of 1025 bytes that cannot be decoded': named(
    Buffer.concat([Buffer.alloc(256, 0xff), Buffer.from('a')]),
    `${'\\xff'.repeat(256)}…`,
  ),
  'a plain name over the limit that is set': {
    ...named('abcdefghijklmnopqrstu'),
    limits: { maxPathBytes: 20 },
  },
  'a plain name deeper than the limit that is set': { ...named('a/b/c'), limits: { maxPathDepth: 2 } },
  'over 512 bytes': named(`${'a/'.repeat(20)}${'b'.repeat(473)}`),
  'over 512 bytes in its decomposed form only': {
    ...named('u\u0308'.repeat(171)),
    entry: '\u00fc'.repeat(171),
  },
  'over the limit as a Unicode path only': {
    entries: [
      {
        path: cyrillic,
        content: 'x',
        centralExtra: unicodePathField('\u0442\u0435\u0441\u0442.txt', cyrillic),
      },
    ],
    limits: { maxPathBytes: 11 },
    code: 'archive-entry-name-unsafe',
    entry: '\u0442\u0435\u0441\u0442.txt',
  },
  'over 512 bytes in UTF-8 only': named('ü'.repeat(257)),
  'over 32 levels': named(`${'a/'.repeat(32)}b`),
};
