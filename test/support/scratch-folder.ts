import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
/** The databases and packages of a run need less. */
const LEAST_FREE_BYTES = 4 * 1024 ** 3;

/**
 * A folder that tests may write to: in memory where there is room, since a run makes some 100,000 small files, which
 * cost several times more processor time on a disk without a journal.
 */
export async function makeScratchFolder(): Promise<string> {
  const freeBytes = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  const parent = freeBytes > LEAST_FREE_BYTES ? MEMORY : os.tmpdir();
  const scratch = await mkdtemp(path.join(parent, 'module-import-test-'));
  // Where root runs the tests, another account runs PostgreSQL.
  await chmod(scratch, 0o711);
  return scratch;
}
