import type { PackageProblemCode } from '../../shared/package/problem-codes.ts';

/** A program that people make ZIPs with, and the result of a package that it makes. */
export interface ZipTool {
  readonly tool: string;
  /** The shell command in the module's folder, or the name of what does it. */
  readonly command: string;
  /** Null: accepted without a warning. */
  readonly result: PackageProblemCode | null;
  /** Programs of Debian that the command needs; empty where it runs on no Debian. */
  readonly programs: readonly string[];
}

const NAMES = 'archive-entry-name-unsafe';

/** Each way of making a ZIP that vendors have used: those of Debian are run, the others are built as they are documented. */
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
  { tool: 'Finder', command: 'Compress, of the files', result: 'layout-litter-skipped', programs: [] },
  {
    tool: 'Finder, of the folder',
    command: 'Compress, of the folder',
    result: 'layout-wrapped-in-folder',
    programs: [],
  },
  {
    tool: 'macOS',
    command: 'ditto -c -k --sequesterRsrc . ../package.zip',
    result: 'layout-litter-skipped',
    programs: [],
  },
  { tool: 'Explorer', command: 'Compressed (zipped) folder', result: null, programs: [] },
  {
    tool: 'Explorer, names in a code page',
    command: 'Compressed (zipped) folder',
    result: NAMES,
    programs: [],
  },
  {
    tool: 'Windows PowerShell 5.1',
    command: 'Compress-Archive * ..\\package.zip',
    result: NAMES,
    programs: [],
  },
  { tool: 'PowerShell 7', command: 'Compress-Archive * ../package.zip', result: null, programs: [] },
  { tool: '.NET', command: 'ZipFile.CreateFromDirectory', result: null, programs: [] },
];
