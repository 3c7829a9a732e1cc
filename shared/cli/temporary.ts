import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotRunError, reasonOf } from './exit-codes.ts';

/** Longer than a command holds a file: an issuer has 15 seconds to answer. */
const MAX_TURN_MS = 20_000;

/** Runs `act` with a temporary folder and always removes the folder, also after a signal. */
export async function withTemporaryFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'modulectl-'));
  return removedAfter(folder, () => act(folder));
}

/**
 * Writes a file under another name and renames it if `write` returns a result, so that no partial file appears.
 * @throws CannotRunError if the target cannot be written.
 */
export async function writeWhole<Result>(
  target: string,
  write: (half: string) => Promise<Result | null>,
): Promise<Result | null> {
  const half = `${target}.${randomUUID()}.tmp`;
  return removedAfter(half, async () => {
    const result = await write(half);
    if (result !== null)
      await rename(half, target).catch((error: unknown) => {
        throw new CannotRunError(`Cannot write ${target}: ${reasonOf(error)}.`);
      });
    return result;
  });
}

/** The text of a file; null if there is none. @throws CannotRunError if it cannot be read */
export async function readIfExists(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null;
    throw new CannotRunError(`Cannot read ${file}: ${reasonOf(error)}.`);
  });
}

/** Writes a file that only this user can read. @throws CannotRunError */
export async function writePrivate(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeWhole(file, (half) => writeFile(half, text, { mode: 0o600, flag: 'wx' }));
  } catch (error) {
    if (error instanceof CannotRunError) throw error;
    throw new CannotRunError(`Cannot write ${file}: ${reasonOf(error)}.`);
  }
}

/**
 * Runs `act` while no other command has its turn with the file. Only a command that was killed keeps its turn, and the next
 * one takes it over.
 * @throws CannotRunError if the folder of the file cannot be written.
 */
export async function inTurn<Result>(file: string, act: () => Promise<Result>): Promise<Result> {
  const turn = `${file}.lock`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const endMs = Date.now() + MAX_TURN_MS;
    while (!(await isMade(turn))) {
      if (Date.now() > endMs) await rm(turn, { recursive: true, force: true });
      else await sleep(50);
    }
  } catch (error) {
    throw new CannotRunError(`Cannot write ${turn}: ${reasonOf(error)}.`);
  }
  return removedAfter(turn, act);
}

/** Makes a folder; false if it exists. */
async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function removedAfter<Result>(temporary: string, act: () => Promise<Result>): Promise<Result> {
  const remove = () => rmSync(temporary, { recursive: true, force: true });
  // A signal ends the process with process.exit, see modulectl.ts.
  process.once('exit', remove);
  try {
    return await act();
  } finally {
    process.off('exit', remove);
    remove();
  }
}
