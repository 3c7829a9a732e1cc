import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { describeDisk, fileSystemOf } from '../../lab/bench/import/journal.ts';

/** Looks up a new folder in a list of mounts in which FOLDER is its path. */
async function look(mounts: readonly string[]): Promise<ReturnType<typeof fileSystemOf>> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'a disk ')));
  try {
    const file = path.join(folder, 'mounts');
    const escaped = folder.replaceAll(' ', '\\040');
    await writeFile(file, mounts.map((line) => `${line.replace('FOLDER', escaped)} rw 0 0\n`).join(''));
    return fileSystemOf(folder, file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a folder is in the file system that is mounted closest above it, or in the last of several there', async () => {
  const mounts = ['rootfs / ext2', '/dev/a FOLDER tmpfs', '/dev/b FOLDER xfs', '/dev/c FOLDER/inside ext2'];
  expect(await look(mounts)).toEqual({ type: 'xfs', device: '/dev/b', hasJournal: true });
  expect(await look(['/dev/a / tmpfs', '/dev/b FOLDERS xfs'])).toEqual({
    type: 'tmpfs',
    device: '/dev/a',
    hasJournal: false,
  });
});

test('an ext4 of which the kernel reports nothing may have a journal or none', async () => {
  expect(await look(['/dev/not-there FOLDER ext4'])).toMatchObject({ hasJournal: null });
});

test('a warning is printed unless there is a journal', () => {
  const disk = { type: 'ext4', device: '/dev/a' };
  expect(describeDisk('/data', { ...disk, hasJournal: true })).not.toContain('WARNING');
  expect(describeDisk('/data', { ...disk, hasJournal: false })).toContain('WARNING');
  expect(describeDisk('/data', { ...disk, hasJournal: null })).toContain('WARNING');
  expect(describeDisk('/data', null)).toContain('WARNING');
});
