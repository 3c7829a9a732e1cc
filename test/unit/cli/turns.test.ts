import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { inTurn } from '../../../shared/cli/temporary.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = path.join(inject('scratch'), randomUUID());
  file = path.join(folder, 'sign-ins.json');
});

test('commands change a file one after the other, and leave nothing beside it', async () => {
  const increase = () =>
    inTurn(file, async () => {
      const text = await readFile(file, 'utf8').catch(() => '0');
      await writeFile(file, String(Number(text) + 1));
    });
  await Promise.all(Array.from({ length: 5 }, increase));
  expect(await readFile(file, 'utf8')).toBe('5');
  expect(await readdir(folder)).toEqual(['sign-ins.json']);
});

test('a command takes over the turn of one that was killed', async () => {
  await mkdir(`${file}.lock`, { recursive: true });
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const done = vi.fn();
  const turn = inTurn(file, () => Promise.resolve(done()));
  await expect
    .poll(() => {
      vi.setSystemTime(Date.now() + 5_000);
      return done.mock.calls.length;
    })
    .toBe(1);
  await turn;
  expect(await readdir(folder)).toEqual([]);
});

test('a file whose folder cannot be written is said with the reason', async () => {
  const below = path.join(folder, 'file', 'config', 'sign-ins.json');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'file'), '');
  await expect(inTurn(below, () => Promise.resolve())).rejects.toThrow(
    `Cannot write ${below}.lock: a part of the path is not a directory.`,
  );
});
