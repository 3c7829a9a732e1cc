import { reconcileFiles } from '../shared/db/reconcile-files.ts';
import type { FileDifferences } from '../shared/db/reconcile-files.ts';
import type { Context } from '../shared/context.ts';
import type { Storage } from '../shared/storage.ts';

const FILES = 'files/';
const BATCH = 1_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Makes the database and the storage agree after a restore, while nothing else uses them; says what is lost. */
export async function reconcileStorage({
  database,
  storage,
}: Pick<Context, 'database' | 'storage'>): Promise<FileDifferences> {
  return reconcileFiles(database, objectKeys(storage));
}

async function* objectKeys(storage: Storage): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  for await (const { key } of storage.list(FILES)) {
    const objectKey = key.slice(FILES.length);
    if (UUID.test(objectKey)) batch.push(objectKey);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
