import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listFolder } from '../../../shared/cli/list-folder.ts';
import { writePackage } from '../../../shared/cli/write-package.ts';
import { zipLength } from '../../../shared/package/archive/write-zip.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'modulectl-test-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, content: string | Buffer = 'x'): Promise<void> {
  const file = path.join(folder, 'in', name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}

const list = () => listFolder(path.join(folder, 'in'));

test('files are listed by path in code units, in NFC, with slashes', async () => {
  for (const name of ['b', 'a/z', 'a.b', 'B', 'fu\u0308r']) await write(name);
  expect((await list()).files.map((each) => each.path)).toEqual(['B', 'a.b', 'a/z', 'b', 'f\u00fcr']);
});

test('operating system files are skipped and reported, an empty folder is skipped', async () => {
  for (const name of ['.DS_Store', 'a/Thumbs.db', '__MACOSX/a/._b', 'a/b']) await write(name);
  await mkdir(path.join(folder, 'in/empty'));
  const { files, leftOut } = await list();
  expect(files.map((each) => each.path)).toEqual(['a/b']);
  expect(leftOut.map((each) => each.path)).toEqual(['.DS_Store', '__MACOSX/', 'a/Thumbs.db']);
});

test('a link is a problem whatever its target, and is not followed', async () => {
  await write('a');
  await symlink('/etc', path.join(folder, 'in/folder'));
  await symlink('nowhere', path.join(folder, 'in/broken'));
  const { files, problems } = await list();
  expect(files.map((each) => each.path)).toEqual(['a']);
  expect(problems.map(({ code, entry }) => [code, entry]).toSorted()).toEqual([
    ['archive-entry-kind-forbidden', 'broken'],
    ['archive-entry-kind-forbidden', 'folder'],
  ]);
});

test('the size of a package is known beforehand, and a larger one is refused before any byte is written', async () => {
  await write('a', Buffer.alloc(10_000_000, 1));
  await write('f\u00fcr/b', '');
  const { files } = await list();
  const target = path.join(folder, 'a.zip');
  const sizeBytes = zipLength(files);
  await expect(writePackage(files, target, sizeBytes - 1)).rejects.toThrow(`have ${sizeBytes} bytes`);
  expect((await writePackage(files, target, sizeBytes)).sizeBytes).toBe(sizeBytes);
});

test('a file that changes between its listing and its reading is reported', async () => {
  await write('a', 'before');
  await write('b', Buffer.alloc(9_000_000));
  const { files } = await list();
  for (const [index, name] of ['a', 'b'].entries()) {
    await write(name, 'after, of another length');
    const target = path.join(folder, `${name}.zip`);
    await expect(writePackage(files.slice(index), target, 2 ** 30)).rejects.toThrow(
      'was changed while it was read',
    );
  }
});
