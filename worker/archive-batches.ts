import { ARCHIVES } from '../shared/db/imports/archives.ts';
import type { Storage, StoredObject } from '../shared/storage/storage.ts';

const BATCH = 500;

/** Every object under the archives' prefix, in batches. */
export async function* archiveBatches(storage: Storage): AsyncGenerator<readonly StoredObject[]> {
  let batch: StoredObject[] = [];
  for await (const object of storage.list(ARCHIVES)) {
    if (batch.push(object) < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
