import type { EncryptionKeys } from '../encryption/encryption-keys.ts';
import type { Database } from './database.ts';
import { environmentOf, fingerprintOf, signingKeysOf } from './sealed-columns.ts';
import { queryRows } from './statement.ts';

const BATCH = 100;

/** A column of sealed bytes, and the owner that they are sealed for, by the ID of a module or webhook. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly id: string;
  readonly ownerOf: (id: string) => string;
}

const REVISION = { table: 'module_revisions', id: 'module_id' };
const WEBHOOK = { table: 'webhooks', id: 'id', ownerOf: signingKeysOf };

/**
 * Seals with the current key what an older one sealed, while the service runs; returns the number of revisions and of
 * webhooks. Running it twice at once does no harm.
 */
export async function reseal(database: Database, keys: EncryptionKeys) {
  const resealColumn = (column: SealedColumn) => resealBatches(database, keys, column);
  await resealColumn({ ...REVISION, column: 'fingerprint', ownerOf: fingerprintOf });
  await resealColumn({ ...WEBHOOK, column: 'previous_sealed_keys' });
  return {
    revisions: await resealColumn({ ...REVISION, column: 'environment', ownerOf: environmentOf }),
    webhooks: await resealColumn({ ...WEBHOOK, column: 'sealed_keys' }),
  };
}

async function resealBatches(
  database: Database,
  keys: EncryptionKeys,
  { table, column, id: idColumn, ownerOf }: SealedColumn,
): Promise<number> {
  for (let total = 0; ;) {
    // The ID of the key is after its length in one byte.
    const rows = await queryRows<{ id: string; sealed: Buffer }>(
      database,
      `select ${idColumn} as id, ${column} as sealed from ${table}
       where substring(${column} from 2 for get_byte(${column}, 0)) <> convert_to(:currentId, 'UTF8') limit ${BATCH}`,
      { currentId: keys.currentId },
    );
    for (const { id, sealed } of rows) {
      const resealed = keys.seal(keys.open(sealed, ownerOf(id)), ownerOf(id));
      // No two sealed texts are equal. What was sealed anew meanwhile, as by a rotation, has the current key.
      await database.raw(
        `update ${table} set ${column} = :resealed where ${idColumn} = :id and ${column} = :sealed`,
        { id, sealed, resealed },
      );
    }
    total += rows.length;
    if (rows.length < BATCH) return total;
  }
}
