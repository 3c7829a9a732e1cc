import { expect, test } from 'vitest';
import { bufferSource } from '../../../../shared/package/archive/source.ts';
import { validatePackage } from '../../../../shared/package/validate-package.ts';
import { examplePackage, testSettings } from '../../../support/package-builder.ts';
import { buildZip } from '../../../support/zip-builder.ts';
import { extraField } from '../../../support/zip-bytes.ts';
import type { ZipEntrySpec } from '../../../support/zip-spec.ts';
import { ZIP_TOOLS } from '../../../support/zip-tools.ts';

/*
 * Tools of macOS and Windows, which no test can run: their bytes are built as they are documented, with the system in
 * "version made by" (APPNOTE 4.4.2), the flags, the attributes, the extra fields and the form of the names.
 */

const MADE_BY_UNIX_2_1 = 0x0315;
const MADE_BY_FAT = 0x0014;
const DOS_ARCHIVE = 0x20;
const UTF8_FLAG = 0x800;

const NAME = 'PackageArtifact/build/größe.txt';
const FILES = Object.entries(examplePackage({ [NAME]: 'x' })).map(([path, content = '']) => ({
  path,
  content,
}));

/** Streamed, names decomposed and not marked as UTF-8, and the owner in an extra field. */
function byFinder(path: string, content: string | Buffer): ZipEntrySpec {
  const owner = extraField(0x7875, Buffer.from([1, 4, 0xf5, 1, 0, 0, 4, 0x14, 0, 0, 0]));
  return {
    path: Buffer.from(path.normalize('NFD')),
    content,
    descriptor: 'signed',
    localExtra: owner,
    centralExtra: owner,
    central: { versionMadeBy: MADE_BY_UNIX_2_1 },
  };
}

/** The file, and beside it in `__MACOSX/` its resource fork. */
function withFork(path: string, content: string | Buffer): ZipEntrySpec[] {
  const name = path.lastIndexOf('/') + 1;
  const fork = `__MACOSX/${path.slice(0, name)}._${path.slice(name)}`;
  return [byFinder(path, content), byFinder(fork, 'fork')];
}

function byWindows(path: string | Buffer, content: string | Buffer): ZipEntrySpec {
  return { path, content, central: { versionMadeBy: MADE_BY_FAT, externalAttributes: DOS_ARCHIVE } };
}

/** Code page 850, of Windows in Western Europe. */
function inCodePage(path: string): Buffer {
  return Buffer.from(path.replaceAll('ö', '\x94').replaceAll('ß', '\xe1'), 'latin1');
}

const ARCHIVES: Readonly<Record<string, readonly ZipEntrySpec[]>> = {
  Finder: FILES.flatMap(({ path, content }) => withFork(path, content)),
  'Finder, of the folder': [
    byFinder('module/', ''),
    ...FILES.map(({ path, content }) => byFinder(`module/${path}`, content)),
  ],
  macOS: FILES.flatMap(({ path, content }) => withFork(path, content)),
  Explorer: FILES.map(({ path, content }) => byWindows(path, content)),
  'Explorer, names in a code page': FILES.map(({ path, content }) => byWindows(inCodePage(path), content)),
  'Windows PowerShell 5.1': FILES.map(({ path, content }) => byWindows(path.replaceAll('/', '\\'), content)),
  'PowerShell 7': FILES.map(({ path, content }) => byWindows(path, content)),
  '.NET': FILES.map(({ path, content }) => ({
    path: Buffer.from(path),
    content,
    flags: path === NAME ? UTF8_FLAG : 0,
    central: { versionMadeBy: MADE_BY_FAT, externalAttributes: 0 },
  })),
};

test('each tool that cannot be run is among them', () => {
  const others = ZIP_TOOLS.filter(({ programs }) => programs.length === 0).map(({ tool }) => tool);
  expect(Object.keys(ARCHIVES)).toEqual(others);
});

test.each(Object.entries(ARCHIVES))(
  '%s: the result is one problem at most, as docs/package.md says',
  async (tool, entries) => {
    const { problems, content } = await validatePackage(bufferSource(buildZip(entries)), testSettings());
    const result = ZIP_TOOLS.find((each) => each.tool === tool)?.result ?? null;
    expect(problems.map(({ code }) => code)).toEqual(result === null ? [] : [result]);
    if (content !== null) expect(content.files.map(({ path }) => path)).toContain(NAME);
  },
);
