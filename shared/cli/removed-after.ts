import { rmSync } from 'node:fs';
import process from 'node:process';

/** Runs something with a temporary file or folder, and removes that whatever happens, a signal included. */
export async function removedAfter<T>(temporary: string, act: () => Promise<T>): Promise<T> {
  const remove = () => {
    rmSync(temporary, { recursive: true, force: true });
  };
  // A signal ends the process through process.exit, see modulectl.mjs.
  process.once('exit', remove);
  try {
    return await act();
  } finally {
    process.off('exit', remove);
    remove();
  }
}
