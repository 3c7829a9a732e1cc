import type { EncryptionKeys } from '../encryption/encryption-keys.ts';
import type { Database } from './database.ts';
import { RESEALABLE_COLUMNS, type ResealableColumn } from './sealed-columns.ts';
import { queryRows } from './statement.ts';

const BATCH = 100;

/** What was sealed anew, and what no key opens. */
export interface Resealed {
  readonly revisions: number;
  readonly webhooks: number;
  /** Values that stay as they are: such as `environment of module …`. */
  readonly unreadable: readonly string[];
}

/**
 * Seals with the current key what an older one sealed, while the service runs. Running it twice at once does no harm.
 * What no key opens is left.
 */
export async function reseal(database: Database, keys: EncryptionKeys): Promise<Resealed> {
  const unreadable: string[] = [];
  const resealColumn = (column: ResealableColumn) => resealBatches(database, keys, column, unreadable);
  const { fingerprint, environment, signingKeys, previousSigningKeys, pushKey } = RESEALABLE_COLUMNS;
  await resealColumn(fingerprint);
  await resealColumn(previousSigningKeys);
  await resealColumn(pushKey);
  const revisions = await resealColumn(environment);
  const webhooks = await resealColumn(signingKeys);
  return { revisions, webhooks, unreadable };
}

interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
}

const FIRST: SealedRow = { id: '00000000-0000-0000-0000-000000000000', sealed: Buffer.alloc(0) };

async function resealBatches(
  database: Database,
  keys: EncryptionKeys,
  { table, column, id: idColumn, ownerOf }: ResealableColumn,
  unreadable: string[],
): Promise<number> {
  let total = 0;
  for (let last = FIRST; ;) {
    // The ID of the key is after its length in one byte. What cannot be opened is not read again.
    const rows: readonly SealedRow[] = await queryRows<SealedRow>(
      database,
      `select ${idColumn} as id, ${column} as sealed from ${table}
       where substring(${column} from 2 for get_byte(${column}, 0)) <> convert_to(:currentId, 'UTF8')
         and (${idColumn}, ${column}) > (:id::uuid, :sealed::bytea)
       order by ${idColumn}, ${column} limit ${BATCH}`,
      { currentId: keys.currentId, ...last },
    );
    for (const row of rows) {
      const resealed = resealValue(keys, row.sealed, ownerOf(row.id));
      if (resealed === null) {
        unreadable.push(ownerOf(row.id));
        continue;
      }
      // No two sealed texts are equal. What was sealed anew meanwhile, as by a rotation, has the current key.
      await database.raw(
        `update ${table} set ${column} = :resealed where ${idColumn} = :id and ${column} = :sealed`,
        { ...row, resealed },
      );
      total += 1;
    }
    last = rows.at(-1) ?? last;
    if (rows.length < BATCH) return total;
  }
}

/** Null where no key opens it, or it was damaged. */
function resealValue(keys: EncryptionKeys, sealed: Buffer, owner: string): Buffer | null {
  try {
    return keys.seal(keys.open(sealed, owner), owner);
  } catch {
    return null;
  }
}
