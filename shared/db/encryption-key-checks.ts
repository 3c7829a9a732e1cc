import { sealedHeader, type EncryptionKeys } from '../encryption/encryption-keys.ts';
import type { Database } from './database.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';
import { queryRows } from './statement.ts';

/** How the settings' keys differ from those that the database knows; all are IDs. */
export interface KeyDifferences {
  /** The settings have another key under it. */
  readonly changed: readonly string[];
  /** The database does not know it yet. */
  readonly added: readonly string[];
  /** The settings lack it. */
  readonly missing: readonly string[];
}

/** A key that the settings lack, and the stored values that cannot be decrypted without it. */
export interface LockingKey {
  readonly keyId: string;
  readonly values: number;
}

/**
 * Compares as `compareKeys` does, and stores the check values of new IDs unless a key was changed. Of several processes
 * that start at once, the first decides.
 */
export async function addKeyChecks(database: Database, keys: EncryptionKeys): Promise<KeyDifferences> {
  const { changed, added, missing } = await compareKeys(database, keys);
  if (changed.length > 0 || added.length === 0) return { changed, added, missing };
  const checks = keys.checks();
  // In one order for all processes, so that no two wait for each other.
  await database.raw(
    `insert into encryption_key_checks (key_id, check_value)
     select * from unnest(:ids::text[], :values::bytea[]) as new (id, value) order by id
     on conflict do nothing`,
    { ids: checks.map(({ id }) => id), values: checks.map(({ value }) => value) },
  );
  return compareKeys(database, keys);
}

/** Compares the settings' keys with the check values. */
export async function compareKeys(database: Database, keys: EncryptionKeys): Promise<KeyDifferences> {
  const rows = await queryRows<{ keyId: string; checkValue: Buffer }>(
    database,
    'select key_id, check_value from encryption_key_checks',
  );
  const known = new Map(rows.map(({ keyId, checkValue }) => [keyId, checkValue]));
  const checks = keys.checks();
  const ids = new Set(checks.map(({ id }) => id));
  return {
    changed: checks.filter(({ id, value }) => known.get(id)?.equals(value) === false).map(({ id }) => id),
    added: [...ids].filter((id) => !known.has(id)),
    missing: [...known.keys()].filter((id) => !ids.has(id)),
  };
}

const EVERY_SEALED_VALUE = SEALED_COLUMNS.map(
  ({ table, column }) => `select ${column} as sealed from ${table} where ${column} is not null`,
).join(' union all ');

/** Those of the keys that sealed anything, with the number of values. It reads every sealed value. */
export async function findLockingKeys(
  database: Database,
  keyIds: readonly string[],
): Promise<readonly LockingKey[]> {
  if (keyIds.length === 0) return [];
  return queryRows<LockingKey>(
    database,
    `select key_id, count(*) as values
     from unnest(:keyIds::text[], :headers::bytea[]) as key (key_id, header)
     join (${EVERY_SEALED_VALUE}) as value on substring(sealed from 1 for length(header)) = header
     group by key_id order by key_id`,
    { keyIds: [...keyIds], headers: keyIds.map(sealedHeader) },
  );
}
