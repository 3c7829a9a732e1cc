import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KEY_BYTES, type EncryptionKey } from './encryption-keys.ts';

const FILE = 'encryption-key';

/**
 * The key of one machine, outside production: made when it is first needed, in a file of `DATA_DIR` that only its owner can read.
 * Of several processes that start at once, one makes it.
 */
export async function localKey(dataDir: string): Promise<EncryptionKey> {
  const file = path.join(dataDir, FILE);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const made = `${file}.${randomUUID()}`;
  await writeFile(made, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600 });
  // The file appears with its content, or it is there already.
  await link(made, file).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await rm(made);
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`${file} does not contain a key of ${KEY_BYTES} bytes`);
  return { id: 'local', key };
}
