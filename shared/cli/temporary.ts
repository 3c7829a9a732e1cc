import { rmSync } from 'node:fs';
import { mkdtemp, rename } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { CannotRunError, reasonOf } from './exit-codes.ts';

/** Runs something with a temporary folder, and removes that whatever happens, a signal included. */
export async function withTemporaryFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'modulectl-'));
  return removedAfter(folder, () => act(folder));
}

/**
 * Has a file written under another name, and renames it where `write` returns something: nobody sees half a file.
 * @throws CannotRunError when the target cannot be written.
 */
export async function writeWhole<Result>(
  target: string,
  write: (half: string) => Promise<Result | null>,
): Promise<Result | null> {
  const half = `${target}.${process.pid}.tmp`;
  return removedAfter(half, async () => {
    const written = await write(half);
    if (written !== null)
      await rename(half, target).catch((error: unknown) => {
        throw new CannotRunError(`Cannot write ${target}: ${reasonOf(error)}.`);
      });
    return written;
  });
}

async function removedAfter<Result>(temporary: string, act: () => Promise<Result>): Promise<Result> {
  const remove = () => {
    rmSync(temporary, { recursive: true, force: true });
  };
  // A signal ends the process through process.exit, see modulectl.ts.
  process.once('exit', remove);
  try {
    return await act();
  } finally {
    process.off('exit', remove);
    remove();
  }
}
