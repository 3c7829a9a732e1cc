import { ARCHIVES, reconcileArchives } from '../shared/db/archives.ts';
import type { ArchiveDifferences } from '../shared/db/archives.ts';
import type { Context } from '../shared/context.ts';
import type { Storage } from '../shared/storage.ts';

const BATCH = 1_000;

/** Makes the database and the storage agree after a restore, while nothing else uses them; says what is lost. */
export async function reconcileStorage({
  database,
  storage,
}: Pick<Context, 'database' | 'storage'>): Promise<ArchiveDifferences> {
  return reconcileArchives(database, archiveKeys(storage));
}

async function* archiveKeys(storage: Storage): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  for await (const { key } of storage.list(ARCHIVES)) {
    batch.push(key);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
