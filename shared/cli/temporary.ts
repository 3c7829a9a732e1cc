import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { CannotRunError, reasonOf } from './exit-codes.ts';

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
