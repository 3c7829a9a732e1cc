import { archivesOf } from '../shared/db/imports/archives.ts';
import type { Storage, StoredObject } from '../shared/storage/storage.ts';

const BATCH = 500;

/** Every archive of these deployments, in batches. */
export async function* archiveBatches(
  storage: Storage,
  deploymentIds: readonly string[],
): AsyncGenerator<readonly StoredObject[]> {
  for (const deploymentId of deploymentIds) {
    let batch: StoredObject[] = [];
    for await (const object of storage.list(archivesOf(deploymentId))) {
      if (batch.push(object) < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
}
