import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** The file system that a folder is in. */
export interface FileSystem {
  readonly type: string;
  readonly device: string;
  /** Null where it is unknown. */
  readonly hasJournal: boolean | null;
}

const ALWAYS_WITH_JOURNAL = ['ext3', 'xfs', 'jfs', 'reiserfs'];
const NEVER_WITH_JOURNAL = ['ext2', 'tmpfs', 'ramfs', 'vfat', 'exfat'];

/** An ext4 file system's internal journal is inode 8, and its kernel thread is named after it. */
function hasJournal(type: string, device: string): boolean | null {
  if (ALWAYS_WITH_JOURNAL.includes(type)) return true;
  if (NEVER_WITH_JOURNAL.includes(type)) return false;
  if (type !== 'ext4' || !existsSync(device) || !existsSync('/proc/fs/ext4')) return null;
  return existsSync(`/proc/fs/jbd2/${path.basename(realpathSync(device))}-8`);
}

function isInside(folder: string, mountPoint: string): boolean {
  return folder === mountPoint || folder.startsWith(mountPoint === '/' ? '/' : `${mountPoint}/`);
}

/** Looks up a folder's file system in a list of mounts; null where it is not listed. */
export function fileSystemOf(folder: string, mountsFile = '/proc/mounts'): FileSystem | null {
  if (!existsSync(mountsFile)) return null;
  const real = realpathSync(folder);
  let found: { mountPoint: string; type: string; device: string } | null = null;
  for (const line of readFileSync(mountsFile, 'utf8').split('\n')) {
    const [device = '', escaped = '', type = ''] = line.split(' ');
    // Spaces and similar characters are escaped as three octal digits (proc_pid_mounts(5)).
    const mountPoint = escaped.replaceAll(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(parseInt(octal, 8)),
    );
    // If several are on one mount point, the last one covers the others.
    const isCloser = mountPoint.length >= (found?.mountPoint.length ?? 0);
    if (isCloser && isInside(real, mountPoint)) found = { mountPoint, type, device };
  }
  if (found === null) return null;
  const { type, device } = found;
  return { type, device, hasJournal: hasJournal(type, device) };
}

/** One line about the disk that a benchmark writes to; a warning where it distorts the figures. */
export function describeDisk(folder: string, fileSystem: FileSystem | null): string {
  const { type, device, hasJournal } = fileSystem ?? { type: 'unknown', device: '?', hasJournal: null };
  const where = `${folder} (${type} on ${device})`;
  if (hasJournal === true) return `The files are in ${where}, which has a journal.`;
  const found = hasJournal === false ? 'which has NO journal' : 'and whether it has a journal is unknown';
  return (
    `WARNING: the files are in ${where}, ${found}.\n` +
    'WARNING: without a journal, syncs cost less, and files deleted in the last minutes make creation up to 60 times slower.\n' +
    'WARNING: set BENCH_DIR to a folder on a disk with a journal, or do not quote these figures.'
  );
}
