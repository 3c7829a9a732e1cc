import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { bufferSource } from '../../../shared/package/archive/source.ts';
import { validatePackage } from '../../../shared/package/validate-package.ts';
import { desktopArchive } from '../../support/desktop-archives.ts';
import { findProgram } from '../../support/find-program.ts';
import { testSettings } from '../../support/package-builder.ts';
import { expectSameResults } from '../../support/same-result.ts';
import { startTestApp } from '../../support/test-app.ts';
import { zipFacts, type EntryFacts } from '../../support/zip-facts.ts';
import { ZIP_TOOLS } from '../../support/zip-tools.ts';
import { readArchive } from '../../unit/package/archive/read-archive.ts';

/*
 * Archives that people made on macOS and Windows, for the tests of Go and of libarchive. Both are distributed with them:
 * the first with the compiler, the second as source code of Debian, which `.ci/zip-tools` gets.
 */

function goFolder(): string {
  if (findProgram('go') === null) return '';
  return execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
}

const LIBARCHIVE = path.resolve(import.meta.dirname, '../../../.test-data/libarchive');
const GO = path.join(goFolder(), 'src/archive/zip/testdata');
const REQUIRED = process.env['REQUIRE_ALL_PARTS'] === '1';

/** A file with extended attributes. */
const ATTRIBUTES = 'libarchive/test_read_format_zip_mac_metadata.zip';
const XP_FILES = ['dir/bar', 'dir/empty/', 'hello', 'readonly'];

/** By the tool that made it: archive, and its names or the problem that rejects it. */
const REAL: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  'Finder or ditto': {
    'go/time-osx.zip': ['test.txt'],
    'go/utf8-osx.zip': ['世界'],
    [ATTRIBUTES]: ['__MACOSX/', '__MACOSX/._file3', 'file3'],
  },
  'Explorer of Windows 7': { 'go/time-win7.zip': ['test.txt'] },
  'Explorer of Windows XP': {
    'go/winxp.zip': XP_FILES,
    'libarchive/test_compat_zip_6.zip': [
      'New Folder/New Folder/',
      'New Folder/New Folder/New Text Document.txt',
    ],
    // In code page 932, of Japan.
    'libarchive/test_read_format_zip_filename_cp932.zip': 'archive-entry-name-unsafe',
  },
  'Windows PowerShell': { 'libarchive/test_compat_zip_8.zip': 'archive-entry-name-unsafe' },
  WinRAR: {
    'go/time-winrar.zip': ['test.txt'],
    'go/utf8-winrar.zip': ['世界'],
  },
  'WinRAR, names in a code page and a Unicode path field': {
    // Two of its Unicode path fields were made false afterwards.
    'libarchive/test_read_format_zip_7075_utf8_paths.zip': 'archive-entry-headers-disagree',
  },
  WinZip: {
    'go/time-winzip.zip': ['test.txt'],
    'go/utf8-winzip.zip': ['世界'],
  },
  'an encrypted archive in the form of WinZip': {
    'libarchive/test_read_format_zip_winzip_aes256.zip': 'archive-encrypted',
  },
  '7-Zip of Windows': { 'go/time-7zip.zip': ['test.txt'], 'go/utf8-7zip.zip': ['世界'] },
  'Info-ZIP': {
    'go/time-infozip.zip': ['test.txt'],
    'go/utf8-infozip.zip': ['世界'],
    'go/unix.zip': XP_FILES,
    'go/symlink.zip': 'archive-entry-kind-forbidden',
    'libarchive/test_read_format_zip_filename_cp866.zip': 'archive-entry-name-unsafe',
    'libarchive/test_read_format_zip_filename_utf8_jp.zip': [
      '表だよ/',
      '表だよ/一覧表.txt',
      '表だよ/漢字.txt',
    ],
  },
  Go: { 'go/time-go.zip': ['test.txt'], 'go/go-with-datadesc-sig.zip': ['bar.txt', 'foo.txt'] },
  Java: { 'libarchive/test_compat_zip_1.zip': ['META-INF/MANIFEST.MF', 'tmp.class'] },
};

/** The real archives that show how a tool of the table writes, and the kinds of its entries that none of them has. */
const EVIDENCE: Readonly<Record<string, { readonly like: string; readonly unseen: readonly string[] }>> = {
  'Windows PowerShell 5.1': {
    like: 'Windows PowerShell',
    unseen: ['empty file', 'file whose name is not ASCII'],
  },
  Finder: { like: 'Finder or ditto', unseen: ['file whose name is not ASCII'] },
  'Finder, of the folder': { like: 'Finder or ditto', unseen: ['file whose name is not ASCII'] },
  macOS: { like: 'Finder or ditto', unseen: ['file whose name is not ASCII'] },
  Explorer: { like: 'Explorer of Windows 7', unseen: ['file'] },
  'Explorer, names in a code page': { like: 'Explorer of Windows XP', unseen: ['empty file'] },
  WinRAR: { like: 'WinRAR', unseen: ['file', 'file whose name is not ASCII'] },
  WinZip: { like: 'WinZip', unseen: ['file', 'file whose name is not ASCII'] },
};

/** Where the archive is, by its name in the tables above. */
function fileOf(archive: string): string {
  const [source = '', name = ''] = archive.split('/');
  return path.join(source === 'go' ? GO : LIBARCHIVE, name);
}

function read(archive: string): Buffer {
  return readFileSync(fileOf(archive));
}

const archives = Object.entries(REAL).flatMap(([tool, made]) =>
  Object.entries(made).flatMap(([archive, result]) =>
    existsSync(fileOf(archive)) ? [{ tool, archive, result }] : [],
  ),
);

test('the archives are here where no part may be left out: .ci/zip-tools gets them', () => {
  const all = Object.values(REAL).flatMap((made) => Object.keys(made));
  if (REQUIRED) expect(archives.map(({ archive }) => archive)).toEqual(all);
});

describe('of a real archive the reader says', () =>
  test.each(archives)('$tool, $archive: $result', async ({ archive, result }) => {
    const { entries, problems } = await readArchive(read(archive));
    const codes = [...new Set(problems.map(({ code }) => code))];
    if (typeof result === 'string') expect(codes).toEqual([result]);
    else {
      expect(codes).toEqual([]);
      expect(entries.map((each) => each.path).toSorted()).toEqual(result);
    }
  }));

test.skipIf(!existsSync(fileOf(ATTRIBUTES)))(
  'extended attributes of macOS are skipped with a warning',
  async () => {
    const { problems } = await validatePackage(bufferSource(read(ATTRIBUTES)), testSettings());
    expect(problems.map(({ code }) => code)).toContain('layout-litter-skipped');
  },
);

test('modulectl prints, byte for byte, the server’s result for each', async () => {
  const scratch = path.join(inject('scratch'), `real-archives-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  const app = await startTestApp({ settings: { MAX_IMPORTS_PER_MINUTE: '100000' } });
  try {
    const packages = archives.map(({ archive }) => ({ title: archive, bytes: read(archive) }));
    expect(await expectSameResults(app, scratch, packages)).toEqual([]);
  } finally {
    await app.stop();
    await rm(scratch, { recursive: true, force: true });
  }
});

/** The facts of the entries of each kind, without names. */
function byKind(archive: Buffer): Map<string, EntryFacts[]> {
  const kinds = new Map<string, EntryFacts[]>();
  for (const facts of zipFacts(archive))
    kinds.set(facts.kind, [...(kinds.get(facts.kind) ?? []), { ...facts, name: '' }]);
  return kinds;
}

describe('the archive that the inner circle reads in place of a tool has the headers of real ones', () => {
  test('for each tool that is not run', () => {
    const built = ZIP_TOOLS.filter(({ programs }) => programs.length === 0).map(({ tool }) => tool);
    expect(Object.keys(EVIDENCE).toSorted()).toEqual(built.toSorted());
  });

  test.each(Object.entries(EVIDENCE))('%s', (tool, { like, unseen }) => {
    const real = archives.filter((each) => each.tool === like).map(({ archive }) => byKind(read(archive)));
    if (real.length === 0) return;
    const missing: string[] = [];
    for (const [kind, built] of byKind(desktopArchive(tool))) {
      const seen = real.flatMap((each) => each.get(kind) ?? []);
      if (seen.length === 0) missing.push(kind);
      else for (const each of built) expect(seen, kind).toContainEqual(each);
    }
    expect(missing.toSorted()).toEqual(unseen);
  });

  test.skipIf(!existsSync(fileOf(ATTRIBUTES)))(
    'Finder: after a file its extended attributes, and before the first their folder',
    () => {
      for (const archive of [read(ATTRIBUTES), desktopArchive('Finder')]) {
        const [file = '', ...rest] = zipFacts(archive).map(({ name }) => name);
        expect(rest.slice(0, 2)).toEqual(['__MACOSX/', `__MACOSX/._${file}`]);
      }
    },
  );
});
