import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

/** A file by its content. */
export interface FileContent {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Where a content is, or is to be, stored. */
export interface FilePlace {
  readonly objectKey: string;
  /** Whether the object is known to be there whole. */
  readonly isStored: boolean;
}

/** The storage's key of a file. */
export function fileKey(objectKey: string): string {
  return `files/${objectKey}`;
}

/** Touching a row that was touched just now would only make imports of one content wait for each other. */
const TOUCHED_LATELY = "interval '15 minutes'";

/** What collection leaves untouched at least; far above the time between a touch and the import's end. */
export const COLLECTION_GRACE_MS = 24 * 3_600_000;

/**
 * Touches the rows of contents, making those that are missing, before it is decided what to upload:
 * what was touched of late is not collected.
 */
export async function touchFiles(
  database: Database,
  contents: readonly FileContent[],
): Promise<ReadonlyMap<string, FilePlace>> {
  // One order everywhere, so that two imports never wait for each other in a circle.
  const ordered = contents.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const result = await database.raw<{ rows: { sha256: string; objectKey: string; isStored: boolean }[] }>(
    `with wanted as (
       select * from unnest(?::uuid[], ?::bytea[], ?::bigint[]) as wanted (object_key, sha256, size_bytes)
     ), known as (
       select f.object_key, f.sha256, f.stored_at from stored_files f join wanted using (sha256)
       where f.touched_at > now() - ${TOUCHED_LATELY}
     ), touched as (
       insert into stored_files as f (object_key, sha256, size_bytes)
       select object_key, sha256, size_bytes from wanted
       where sha256 not in (select sha256 from known) order by sha256
       on conflict (sha256) do update set touched_at = now()
       returning f.object_key, f.sha256, f.stored_at
     ), found as (select * from known union all select * from touched)
     select object_key, encode(sha256, 'hex') as sha256, stored_at is not null as is_stored from found`,
    [
      ordered.map(() => randomUUID()),
      ordered.map((each) => Buffer.from(each.sha256, 'hex')),
      ordered.map((each) => each.sizeBytes),
    ],
  );
  return new Map(result.rows.map(({ sha256, ...place }) => [sha256, place]));
}

/** Makes the row of a file whose content is not known yet, before its object is written. */
export async function announceFile(database: Database, sizeBytes: number): Promise<string> {
  const objectKey = randomUUID();
  await database('stored_files').insert({ objectKey, sizeBytes });
  return objectKey;
}

/**
 * Ties an announced object, now whole, to its content. When the content is stored already that object
 * counts, and the new one is left to collection.
 */
export async function settleFile(
  database: Database,
  objectKey: string,
  content: FileContent,
): Promise<FilePlace> {
  const settled = await database.raw<{ rowCount: number }>(
    `update stored_files set sha256 = :sha256, stored_at = now(), touched_at = now()
     where object_key = :objectKey and not exists (select 1 from stored_files where sha256 = :sha256)`,
    { objectKey, sha256: Buffer.from(content.sha256, 'hex') },
  );
  if (settled.rowCount === 1) return { objectKey, isStored: true };
  const place = (await touchFiles(database, [content])).get(content.sha256);
  if (place === undefined) throw new Error('a touched file has no row');
  return place;
}

/** Parts announced objects from their rows: collection removes them. */
export async function doomFiles(database: Database, objectKeys: readonly string[]): Promise<void> {
  await database.raw(
    `with gone as (delete from stored_files where object_key = any(?) and sha256 is null returning object_key)
     insert into doomed_objects (storage_key) select 'files/' || object_key from gone on conflict do nothing`,
    [[...objectKeys]],
  );
}

const DOOMED_AT_ONCE = 1_000;

const UNUSED = `
  touched_at < now() - :graceMs * interval '1 millisecond'
  and not exists (select 1 from module_files m where m.object_key = stored_files.object_key)`;

/**
 * Parts files that no revision has, and that no import has touched for `graceMs`, from their rows. They are
 * locked first and looked at again: an import that commits in between keeps its files, and one that still
 * counted on a file that is gone is refused by the foreign key, and tried again.
 */
export async function doomUnusedFiles(database: Database, graceMs: number): Promise<number> {
  let doomed = 0;
  for (;;) {
    const { found, gone } = await database.transaction((transaction) => doomSome(transaction, graceMs));
    doomed += gone;
    if (found < DOOMED_AT_ONCE || gone === 0) return doomed;
  }
}

async function doomSome(transaction: Database, graceMs: number) {
  const locked = await transaction.raw<{ rows: { objectKey: string }[] }>(
    `select object_key from stored_files where ${UNUSED}
     order by object_key limit :limit for update skip locked`,
    { graceMs, limit: DOOMED_AT_ONCE },
  );
  const objectKeys = locked.rows.map((row) => row.objectKey);
  const gone = await transaction.raw<{ rowCount: number }>(
    `with gone as (
       delete from stored_files where object_key = any(:objectKeys::uuid[]) and ${UNUSED} returning object_key
     )
     insert into doomed_objects (storage_key) select 'files/' || object_key from gone on conflict do nothing`,
    { graceMs, objectKeys },
  );
  return { found: objectKeys.length, gone: gone.rowCount };
}

/** Objects to remove, oldest first. */
export async function listDoomedObjects(database: Database, limit: number): Promise<readonly string[]> {
  const rows = await database('doomed_objects')
    .select<{ storageKey: string }[]>('storageKey')
    .orderBy('doomedAt')
    .limit(limit);
  return rows.map((row) => row.storageKey);
}

const FILE_KEY = /^files\/(?<objectKey>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

/** Which of these storage keys belong to a file, or are not ours: no file of ours bears such a name. */
export async function findKnownFiles(
  database: Database,
  storageKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  const objectKeys = storageKeys.flatMap((key) => FILE_KEY.exec(key)?.groups?.['objectKey'] ?? []);
  const rows = await database('stored_files')
    .whereRaw('object_key = any(?::uuid[])', [objectKeys])
    .select<{ objectKey: string }[]>('objectKey');
  const foreign = storageKeys.filter((key) => !FILE_KEY.test(key));
  return new Set([...foreign, ...rows.map((row) => fileKey(row.objectKey))]);
}

/** Forgets objects that have been removed. */
export async function forgetDoomedObjects(database: Database, storageKeys: readonly string[]): Promise<void> {
  await database('doomed_objects').whereIn('storageKey', storageKeys).delete();
}
