import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Descriptor } from '../../package/descriptor/descriptor.ts';
import type { Database } from '../database.ts';

type Environment = Descriptor['environmentVariables'];

const environmentOf = (moduleId: string) => `environment of module ${moduleId}`;
const fingerprintOf = (moduleId: string) => `fingerprint of module ${moduleId}`;

/**
 * Seals the environment variables of a module, each with its value. They are sealed as one list, because a descriptor may
 * have many thousands: who changes the database cannot give a variable the value of another, or of another module's.
 */
export function sealEnvironment(keys: EncryptionKeys, moduleId: string, variables: Environment): Buffer {
  return keys.seal(Buffer.from(JSON.stringify(variables)), environmentOf(moduleId));
}

/** The environment variables of `sealEnvironment`. @throws Error where their key is not among the keys */
export function openEnvironment(keys: EncryptionKeys, moduleId: string, sealed: Buffer): Environment {
  return JSON.parse(keys.open(sealed, environmentOf(moduleId)).toString()) as Environment;
}

/** Seals a fingerprint: it is the hash of the values too, so that whoever has it could test guesses. */
export function sealFingerprint(keys: EncryptionKeys, moduleId: string, fingerprint: Buffer): Buffer {
  return keys.seal(fingerprint, fingerprintOf(moduleId));
}

/** The fingerprint of `sealFingerprint`. @throws Error where its key is not among the keys */
export function openFingerprint(keys: EncryptionKeys, moduleId: string, sealed: Buffer): Buffer {
  return keys.open(sealed, fingerprintOf(moduleId));
}

const BATCH = 100;

interface SealedRow {
  readonly moduleId: string;
  readonly revision: number;
  readonly environment: Buffer;
  readonly fingerprint: Buffer;
}

/**
 * Seals with the current key what an older one sealed, while the service runs; returns the number of revisions. Revisions
 * never change otherwise, and running it twice at once does no harm.
 */
export async function resealRevisions(database: Database, keys: EncryptionKeys): Promise<number> {
  for (let total = 0; ;) {
    const rows = await findOutdated(database, keys.currentId);
    for (const row of rows) await reseal(database, keys, row);
    total += rows.length;
    if (rows.length < BATCH) return total;
  }
}

/** The ID of the key is after its length in one byte. */
const KEY_ID = 'substring(environment from 2 for get_byte(environment, 0))';

async function findOutdated(database: Database, currentId: string): Promise<readonly SealedRow[]> {
  const result = await database.raw<{ rows: SealedRow[] }>(
    `select module_id, revision, environment, fingerprint from module_revisions
     where ${KEY_ID} <> convert_to(?, 'UTF8') limit ${BATCH}`,
    [currentId],
  );
  return result.rows;
}

async function reseal(database: Database, keys: EncryptionKeys, row: SealedRow): Promise<void> {
  const { moduleId, revision } = row;
  const environment = openEnvironment(keys, moduleId, row.environment);
  const fingerprint = openFingerprint(keys, moduleId, row.fingerprint);
  await database('module_revisions')
    .where({ moduleId, revision })
    .update({
      environment: sealEnvironment(keys, moduleId, environment),
      fingerprint: sealFingerprint(keys, moduleId, fingerprint),
    });
}
