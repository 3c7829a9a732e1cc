import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { inTurn } from '../../../shared/cli/temporary.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = path.join(inject('scratch'), randomUUID());
  file = path.join(folder, 'sign-ins.json');
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => void vi.useRealTimers());

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

/** Lets time pass until a command takes over the turn of another. */
async function passTimeUntil(isTakenOver: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      if (!isTakenOver()) vi.advanceTimersByTime(5_000);
      return isTakenOver();
    })
    .toBe(true);
}

test.each([
  ['a command', randomUUID()],
  ['an earlier modulectl', ''],
])('commands take over the turn of %s that was killed, one after the other', async (_, name) => {
  await mkdir(path.join(`${file}.lock`, name), { recursive: true });
  let started = 0;
  let ended = 0;
  const run = () =>
    inTurn(file, async () => {
      const hasWaited = started === ended;
      started += 1;
      // Another one that does not wait starts meanwhile.
      await sleep(300);
      ended += 1;
      return hasWaited;
    });
  const turns = Promise.all([run(), run()]);
  await passTimeUntil(() => started > 0);
  expect(await turns).toEqual([true, true]);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['a command on another host, whose clock differs', randomUUID()],
  ['an earlier modulectl, which gives no name', ''],
])('a command waits for the turn of %s', async (_, name) => {
  const turn = `${file}.lock`;
  await mkdir(path.join(turn, name), { recursive: true });
  await utimes(path.join(turn, name), 0, 0);
  let hasEnded = false;
  const hasWaited = inTurn(file, () => Promise.resolve(hasEnded));
  // A command that does not wait runs meanwhile.
  await sleep(300);
  hasEnded = true;
  await rm(turn, { recursive: true, force: true });
  expect(await hasWaited).toBe(true);
});

test('a command has nothing beside the file while it waits, so that it leaves nothing when it is killed', async () => {
  const turn = `${file}.lock`;
  await mkdir(path.join(turn, randomUUID()), { recursive: true });
  const waiting = inTurn(file, () => Promise.resolve());
  await sleep(300);
  expect(await readdir(folder)).toEqual([path.basename(turn)]);
  await rm(turn, { recursive: true });
  await waiting;
  expect(await readdir(folder)).toEqual([]);
});

test('a command whose turn was taken over does not end the turn of the next one', async () => {
  const ends: (() => void)[] = [];
  const act = () => new Promise<void>((resolve) => ends.push(resolve));
  const turns = [inTurn(file, act), inTurn(file, act)];
  await expect.poll(() => ends.length).toBe(1);
  await passTimeUntil(() => ends.length === 2);
  ends[0]?.();
  await Promise.race(turns);
  expect(await readdir(folder)).toEqual(['sign-ins.json.lock']);
  ends[1]?.();
  await Promise.all(turns);
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
