import type { Config } from '../config/config.ts';
import { EncryptionKeys, readLocalKey } from '../encryption/encryption-keys.ts';
import { changedKeyProblem, lockingKeyProblem } from '../process/key-problems.ts';
import type { Problem } from '../process/part-problem.ts';
import { trySteps, type Finding, type ProbeStep } from '../process/probe-step.ts';
import { openDatabase, type Database } from './database.ts';
import { databaseProblem } from './database-problem.ts';
import { compareKeys, findLockingKeys } from './encryption-key-checks.ts';
import { onlyRow } from './statement.ts';

/** Compares the encryption keys with those that the database knows, and writes nothing. Never throws. */
export async function probeEncryption(config: Config, url: string): Promise<readonly ProbeStep[]> {
  const database = openDatabase({ url, poolSize: 1 });
  try {
    const explain = (error: unknown) => databaseProblem(error, url);
    return await trySteps({ keys: () => compareWithDatabase(config, database) }, explain);
  } finally {
    await database.destroy();
  }
}

async function compareWithDatabase(config: Config, database: Database): Promise<string | Finding> {
  const { isMigrated } = await onlyRow<{ isMigrated: boolean }>(
    database,
    "select to_regclass('encryption_key_checks') is not null as is_migrated",
  );
  if (!isMigrated) return 'this database has no schema yet, and knows no key';
  const keys = await keysOf(config);
  if (keys === null) return 'npm start makes a key in DATA_DIR; ENCRYPTION_KEYS is not set';
  const { changed, missing } = await compareKeys(database, keys);
  const isOfSettings = config.encryptionKeys.length > 0;
  if (changed.length > 0)
    return findingOf(
      changed.map((keyId) => changedKeyProblem(keyId, isOfSettings)),
      false,
    );
  const locking = await findLockingKeys(database, missing);
  if (locking.length > 0) return findingOf(locking.map(lockingKeyProblem), true);
  return `${keys.currentId} encrypts, and stored values need no key that is missing`;
}

function findingOf(problems: readonly Problem[], ok: boolean): Finding {
  const detail = problems.map(({ problem }) => problem).join(' ');
  return { ok, detail, advice: problems[0]?.advice ?? null };
}

/** Unlike the processes, this makes no key of the machine: its file would belong to the person who runs this. */
async function keysOf({
  encryptionKeys: [first, ...others],
  dataDir,
}: Config): Promise<EncryptionKeys | null> {
  if (first !== undefined) return new EncryptionKeys([first, ...others]);
  return readLocalKey(dataDir).then(
    (key) => new EncryptionKeys([key]),
    () => null,
  );
}
