import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Descriptor } from '../../package/descriptor/descriptor.ts';

type Environment = Descriptor['environmentVariables'];

/** The owner of a module's sealed environment. */
export const environmentOf = (moduleId: string) => `environment of module ${moduleId}`;
/** The owner of a module's sealed fingerprint. */
export const fingerprintOf = (moduleId: string) => `fingerprint of module ${moduleId}`;

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
