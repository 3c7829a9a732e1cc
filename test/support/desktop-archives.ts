import { buildZip } from './zip-builder.ts';
import { extraField } from './zip-bytes.ts';
import type { ZipEntrySpec, ZipHeaderFields } from './zip-spec.ts';
import { TOOL_FILES } from './zip-tools.ts';

/*
 * Tools of macOS and Windows, which no test can run. `test/outer/archives/real-archives.test.ts` compares the headers
 * with those of real archives: the system in "version made by" (APPNOTE 4.4.2), the flags, the attributes, the extra
 * fields and the form of the names.
 */

type Write = (path: string, content: string | Buffer) => ZipEntrySpec;

const MADE_BY_MAC = 0x0315;
const MADE_BY_WINDOWS = 0x0014;
const MADE_BY_WINDOWS_XP = 0x0b14;
const MADE_BY_WINRAR = 0x001f;
const UTF8_FLAG = 0x800;
const DOS_ARCHIVE = 0x20;
const APPLE_DOUBLE = Buffer.from('\0\x05\x16\x07\0\x02\0\0Mac OS X        ', 'latin1');
/** Times and owner, as Info-ZIP's first version for Unix wrote them. */
const UNIX_TIMES = 0x5855;
const NTFS_TIMES = extraField(0x000a, Buffer.alloc(32));

const isAscii = (path: string) => /^[\x20-\x7e]*$/.test(path);

/** Fields that are the same in both headers. */
function inBoth(fields: Partial<ZipHeaderFields>, central: Partial<ZipHeaderFields>) {
  return { local: fields, central: { ...fields, ...central } };
}

/** Content is streamed. Names are decomposed, and not marked as UTF-8. */
const byMac: Write = (path, content) => {
  const isFolder = path.endsWith('/');
  const externalAttributes = (isFolder ? 0o040755 : 0o100644) * 2 ** 16 + 0x4000;
  return {
    path: Buffer.from(path.normalize('NFD')),
    content,
    ...(content.length > 0 ? { descriptor: 'signed' as const } : {}),
    localExtra: extraField(UNIX_TIMES, Buffer.alloc(12)),
    centralExtra: extraField(UNIX_TIMES, Buffer.alloc(8)),
    ...inBoth(content.length > 0 ? {} : { versionNeeded: 10 }, {
      versionMadeBy: MADE_BY_MAC,
      externalAttributes,
    }),
  };
};

/** The files, and after each its extended attributes in `__MACOSX/`. */
function withAttributes(files: Readonly<Record<string, string | Buffer>>): ZipEntrySpec[] {
  const entries: ZipEntrySpec[] = [];
  for (const [path, content] of Object.entries(files)) {
    const name = path.lastIndexOf('/') + 1;
    entries.push(byMac(path, content));
    if (entries.length === 1) entries.push(byMac('__MACOSX/', ''));
    entries.push(byMac(`__MACOSX/${path.slice(0, name)}._${path.slice(name)}`, APPLE_DOUBLE));
  }
  return entries;
}

const byExplorer: Write = (path, content) => ({
  path,
  content,
  central: { versionMadeBy: MADE_BY_WINDOWS, externalAttributes: DOS_ARCHIVE },
});

/** Small files are stored. Names are in code page 850, of Windows in Western Europe. */
const byExplorerOfXp: Write = (path, content) => {
  const codes: Readonly<Record<string, string>> = { Ü: '\x9a', ö: '\x94', ß: '\xe1', é: '\x82' };
  const name = path.replace(/[^\x20-\x7e]/g, (letter) => codes[letter] ?? '?');
  const central = { versionMadeBy: MADE_BY_WINDOWS_XP, externalAttributes: DOS_ARCHIVE };
  return {
    path: Buffer.from(name, 'latin1'),
    content,
    method: 'stored',
    ...inBoth({ versionNeeded: 10 }, central),
  };
};

const byWindowsPowerShell: Write = (path, content) => ({
  path: path.replaceAll('/', '\\'),
  content,
  central: { versionMadeBy: MADE_BY_WINDOWS, externalAttributes: 0 },
});

const byPacker =
  (versionMadeBy: number): Write =>
  (path, content) => ({
    path: Buffer.from(path),
    content,
    flags: isAscii(path) ? 0 : UTF8_FLAG,
    centralExtra: NTFS_TIMES,
    ...inBoth(content.length > 0 ? {} : { versionNeeded: 10 }, { versionMadeBy, externalAttributes: 0 }),
  });

function each(write: Write, paths: (path: string) => boolean = () => true): ZipEntrySpec[] {
  return Object.entries(TOOL_FILES).flatMap(([path, content]) => (paths(path) ? [write(path, content)] : []));
}

const DESKTOP: Readonly<Record<string, () => readonly ZipEntrySpec[]>> = {
  'Windows PowerShell 5.1': () => each(byWindowsPowerShell),
  Finder: () => withAttributes(TOOL_FILES),
  'Finder, of the folder': () => [
    byMac('module/', ''),
    ...each((path, content) => byMac(`module/${path}`, content)),
  ],
  macOS: () => withAttributes(TOOL_FILES),
  // It writes other names in the code page of the system.
  Explorer: () => each(byExplorer, isAscii),
  'Explorer, names in a code page': () => each(byExplorerOfXp),
  WinRAR: () => each(byPacker(MADE_BY_WINRAR)),
  WinZip: () => each(byPacker(MADE_BY_WINDOWS)),
};

/** An archive of the example as the tool makes it that runs on no Debian. */
export function desktopArchive(tool: string): Buffer {
  const entries = DESKTOP[tool];
  if (entries === undefined)
    throw new Error(`test/support/desktop-archives.ts does not say how ${tool} writes`);
  return buildZip(entries());
}
