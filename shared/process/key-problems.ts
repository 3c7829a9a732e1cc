import type { LockingKey } from '../db/encryption-key-checks.ts';
import type { Problem } from './part-problem.ts';

/** The problem of a key that is not the one that the database knows under its ID. */
export function changedKeyProblem(keyId: string, isOfSettings: boolean): Problem {
  return isOfSettings
    ? {
        problem: `ENCRYPTION_KEYS has another key ${keyId} than the one that this database was used with.`,
        advice:
          'Put the earlier key back under this ID. Give a new key a new ID, in front of the earlier one.',
      }
    : {
        problem: 'The file encryption-key in DATA_DIR is not the key that this database was used with.',
        advice: 'Set DATA_DIR to the earlier folder, or copy the file from it.',
      };
}

/** The problem of a key that the settings lack and stored values need. */
export function lockingKeyProblem({ keyId, values }: LockingKey): Problem {
  return {
    problem: `The key ${keyId} is missing; it encrypted ${values} stored ${values === 1 ? 'value' : 'values'}.`,
    advice:
      'Add it behind the others of ENCRYPTION_KEYS. Before you remove it, run node dist/worker/reencrypt-command.js.',
  };
}
