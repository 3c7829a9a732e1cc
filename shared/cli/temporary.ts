import { randomUUID } from 'node:crypto';
import { rmdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
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
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
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
  // Each turn is a folder with a name of its own in it: then a command removes the turn that it means, or none.
  const name = randomUUID();
  const end = () => {
    try {
      rmdirSync(path.join(turn, name));
      rmdirSync(turn);
    } catch {
      // Another command has its turn, or the folder cannot be written.
    }
  };
  return cleanedAfter(end, async () => {
    try {
      await takeTurn(turn, name);
    } catch (error) {
      throw new CannotRunError(`Cannot write ${turn}: ${reasonOf(error)}.`);
    }
    return act();
  });
}

/** Waits for the turn. This process measures how long another command has it: the clocks of two hosts may differ. */
async function takeTurn(turn: string, name: string): Promise<void> {
  let seen: string | null = null;
  let seenSinceMs = 0;
  for (;;) {
    const current = await nameInTurn(turn);
    if (current === null && (await isTaken(turn, name))) return;
    if (current !== seen) {
      seen = current;
      seenSinceMs = performance.now();
    } else if (current !== null && performance.now() - seenSinceMs > MAX_TURN_MS)
      await removeTurn(turn, current);
    await sleep(50);
  }
}

/** The name of the command that has the turn; empty for an earlier modulectl, which gives none; null if no command has it. */
async function nameInTurn(turn: string): Promise<string | null> {
  try {
    const [name = ''] = await readdir(turn);
    return name;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Takes the turn; false if another command has it. */
async function isTaken(turn: string, name: string): Promise<boolean> {
  // Made for each attempt: a command that is killed while it waits leaves nothing.
  const next = `${turn}.${name}.tmp`;
  return removedAfter(next, async () => {
    await mkdir(path.join(next, name), { recursive: true, mode: 0o700 });
    try {
      await rename(next, turn);
      return true;
    } catch (error) {
      // Windows reports EPERM.
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) return false;
      throw error;
    }
  });
}

async function removeTurn(turn: string, name: string): Promise<void> {
  try {
    if (name !== '') await rm(path.join(turn, name), { recursive: true, force: true });
    await rmdir(turn);
  } catch (error) {
    // The turn has ended, or another command has it now.
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function removeNow(temporary: string): void {
  rmSync(temporary, { recursive: true, force: true });
}

async function removedAfter<Result>(temporary: string, act: () => Promise<Result>): Promise<Result> {
  return cleanedAfter(() => removeNow(temporary), act);
}

async function cleanedAfter<Result>(clean: () => void, act: () => Promise<Result>): Promise<Result> {
  // A signal ends the process with process.exit, see modulectl.ts.
  process.once('exit', clean);
  try {
    return await act();
  } finally {
    process.off('exit', clean);
    clean();
  }
}
