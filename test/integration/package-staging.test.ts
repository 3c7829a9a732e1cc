import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ObjectBody, Storage } from '../../shared/storage.ts';
import { PackageStaging } from '../../worker/package-staging.ts';
import type { WorkerContext } from '../../worker/worker-context.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp } from '../support/test-app.ts';

const PIECE = randomBytes(64 * 1024);

let app: TestApp;
let context: WorkerContext;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  ({ context } = await app.startWorker());
});

afterAll(() => app.stop());

/** A storage that fails when it has taken so many pieces of a body. */
function failingAfter(pieces: number): Storage {
  const storage = Object.create(context.storage) as Storage;
  storage.put = async (_key: string, body: ObjectBody) => {
    if (Buffer.isBuffer(body)) throw new Error('the storage is away');
    let taken = 0;
    for await (const piece of body) if (piece.length > 0 && (taken += 1) === pieces) break;
    throw new Error('the storage is away');
  };
  return storage;
}

/** Writes to a file until that fails, waiting between pieces as long as an archive's reader may. */
async function writeUntilFailure(staging: PackageStaging, restMs: number): Promise<void> {
  const sizeBytes = 1_000 * PIECE.length;
  const file = staging.pieces('PackageArtifact/build/large.bin', sizeBytes);
  for (let written = 0; written < sizeBytes; written += PIECE.length) {
    await file.write(PIECE);
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
  }
  await file.end(createHash('sha256').digest('hex'));
}

test.each([
  ['at once', 1, 0],
  ['in the middle', 40, 0],
  ['while its reader does something else', 1, 5],
])('a large file whose storing fails %s is failed, not waited for', async (_when, pieces, restMs) => {
  const staging = new PackageStaging({ ...context, storage: failingAfter(pieces) });
  await expect(writeUntilFailure(staging, restMs)).rejects.toThrow('the storage is away');
  await staging.discard();
});
