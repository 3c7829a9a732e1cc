import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PackageProblemCode } from '../../shared/package/problem-codes.ts';
import { examplePackage } from './package-builder.ts';

/** A program that people make ZIPs with, and the result of a package that it makes. */
export interface ZipTool {
  readonly tool: string;
  /** The shell command in the module's folder, or the name of what does it. */
  readonly command: string;
  /** Null: accepted without a warning. */
  readonly result: PackageProblemCode | null;
  /** Programs of Debian that the command needs; empty where it runs on no Debian. */
  readonly programs: readonly string[];
  /** How the result is known, where the command itself is not run. */
  readonly evidence?: string;
}

/** The example, with an empty file, and names that are not ASCII: only such names show how a tool marks them. */
export const TOOL_FILES: Readonly<Record<string, string | Buffer>> = Object.fromEntries(
  Object.entries(
    examplePackage({
      'PackageArtifact/build/empty.txt': '',
      'PackageArtifact/build/Übersicht/größe-é.txt': 'x',
      'PackageArtifact/build/условия.txt': 'x',
    }),
  ).map(([name, content = '']) => [name, content]),
);

const NAMES = 'archive-entry-name-unsafe';
/** The runtime, and Debian's compiler. */
const DOTNET = ['dotnet', 'mcs'];

/** Each way of making a ZIP that vendors have used: those of Debian are run, the others are built like real archives. */
export const ZIP_TOOLS: readonly ZipTool[] = [
  { tool: 'Info-ZIP', command: 'zip -r ../package.zip .', result: null, programs: ['zip'] },
  {
    tool: 'Info-ZIP, of the folder',
    command: 'cd .. && zip -r package.zip module',
    result: 'layout-wrapped-in-folder',
    programs: ['zip'],
  },
  {
    tool: 'Info-ZIP, with a password',
    command: 'zip -P secret -r ../package.zip .',
    result: 'archive-encrypted',
    programs: ['zip'],
  },
  { tool: '7-Zip', command: '7zz a -tzip ../package.zip .', result: null, programs: ['7zz'] },
  {
    tool: '7-Zip, with another method',
    command: '7zz a -tzip -mm=LZMA ../package.zip .',
    result: 'archive-compression-unsupported',
    programs: ['7zz'],
  },
  {
    tool: 'bsdtar',
    command: 'bsdtar -a -cf ../package.zip .',
    result: null,
    programs: ['bsdtar'],
  },
  { tool: 'Python', command: 'python3 -m zipfile -c ../package.zip *', result: null, programs: ['python3'] },
  { tool: 'Java', command: 'jar cMf ../package.zip *', result: null, programs: ['jar'] },
  {
    tool: 'Java, with a manifest',
    command: 'jar cf ../package.zip *',
    result: 'layout-entry-unexpected',
    programs: ['jar'],
  },
  { tool: 'Go', command: 'zip.Writer.AddFS', result: null, programs: ['go'] },
  {
    tool: '.NET',
    command: 'ZipFile.CreateFromDirectory',
    result: null,
    programs: DOTNET,
  },
  {
    tool: 'PowerShell 7',
    command: 'Compress-Archive * ../package.zip',
    result: null,
    programs: DOTNET,
    evidence: 'its calls of .NET, run',
  },
  {
    tool: 'Windows PowerShell 5.1',
    command: 'Compress-Archive * ..\\package.zip',
    result: NAMES,
    programs: [],
    evidence: 'not run; built like real archives of it',
  },
  {
    tool: 'Finder',
    command: 'Compress, of the files',
    result: 'layout-litter-skipped',
    programs: [],
    evidence: 'not run; built like real archives of Mac OS X',
  },
  {
    tool: 'Finder, of the folder',
    command: 'Compress, of the folder',
    result: 'layout-wrapped-in-folder',
    programs: [],
    evidence: 'not run; built like real archives of Mac OS X',
  },
  {
    tool: 'macOS',
    command: 'ditto -c -k --sequesterRsrc . ../package.zip',
    result: 'layout-litter-skipped',
    programs: [],
    evidence: 'not run; built like real archives of Mac OS X',
  },
  {
    tool: 'Explorer',
    command: 'Compressed (zipped) folder',
    result: null,
    programs: [],
    evidence: 'not run; built like real archives of Windows 7',
  },
  {
    tool: 'Explorer, names in a code page',
    command: 'Compressed (zipped) folder',
    result: NAMES,
    programs: [],
    evidence: 'not run; built like real archives of Windows XP',
  },
  {
    tool: 'WinRAR',
    command: 'Add to archive, as ZIP',
    result: null,
    programs: [],
    evidence: 'not run; built like real archives of it',
  },
  {
    tool: 'WinZip',
    command: 'Add to Zip',
    result: null,
    programs: [],
    evidence: 'not run; built like real archives of it',
  },
];

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/zip/tools');

/** The versions of the tools whose archives are kept. */
export const VERSIONS_FILE = path.join(FIXTURES, 'versions.json');

/** Where the archive is kept that the tool made of the example. */
export function keptArchive(tool: string): string {
  const name = tool.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return path.join(FIXTURES, `${name.replace(/^-|-$/g, '')}.zip`);
}

/** The version of each tool that was run, when its archive was kept. */
export function keptVersions(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(VERSIONS_FILE, 'utf8')) as Record<string, string>;
}
