import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../process/error-code.ts';

/** A key of the settings. */
export interface EncryptionKey {
  /** Is in every sealed text, so that a rotation can distinguish keys. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** The length of a key of AES-256. */
export const KEY_BYTES = 32;

/** What the database keeps of a key, to notice another one under its ID. */
export interface KeyCheck {
  readonly id: string;
  /** An HMAC by the key, which reveals nothing about it. */
  readonly value: Buffer;
}

/** No key of the settings has the ID of the key that sealed these bytes. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
  readonly keyId: string;

  constructor(keyId: string, owner: string) {
    super(
      `ENCRYPTION_KEYS has no key ${JSON.stringify(keyId)}, which sealed ${owner}: add it behind the others, and restart`,
    );
    this.keyId = keyId;
  }
}

/** The key that sealed these bytes does not open them: they were changed, or moved to another owner. */
export class UnreadableValueError extends Error {
  override readonly name = 'UnreadableValueError';

  constructor(keyId: string, owner: string, cause: unknown) {
    super(
      `the key ${JSON.stringify(keyId)} does not open what it sealed for ${owner}: the value was changed in the database; restore it from a backup`,
      { cause },
    );
  }
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals what rows must not show: AES-256-GCM with a random nonce (NIST SP 800-38D, section 8.2.2). The first key seals,
 * every key opens.
 *
 * Sealed bytes are the length of the key's ID in one byte, the ID, nonce, tag and ciphertext. What they belong to is
 * authenticated with them, so that a writer to the database cannot give one module the values of another.
 */
export class EncryptionKeys {
  readonly #current: EncryptionKey;
  readonly #byId: ReadonlyMap<string, EncryptionKey>;

  constructor(keys: readonly [EncryptionKey, ...EncryptionKey[]]) {
    this.#current = keys[0];
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  get currentId(): string {
    return this.#current.id;
  }

  /** The check value of each key; that of another key or ID is another. */
  checks(): readonly KeyCheck[] {
    return [...this.#byId.values()].map(({ id, key }) => ({
      id,
      value: createHmac('sha256', key).update(`check value of the encryption key ${id}`).digest(),
    }));
  }

  /** Seals bytes that belong to `owner`, a text that distinguishes them from all others. */
  seal(bytes: Buffer, owner: string): Buffer {
    const { id, key } = this.#current;
    const header = sealedHeader(id);
    return Buffer.concat([header, encrypt(key, bytes, Buffer.concat([header, Buffer.from(owner)]))]);
  }

  sealJson(value: unknown, owner: string): Buffer {
    return this.seal(Buffer.from(JSON.stringify(value)), owner);
  }

  /** Whether the settings have the key that sealed these bytes. */
  has(sealed: Buffer): boolean {
    return this.#byId.has(keyIdOf(sealed));
  }

  /** The bytes that `seal` got. @throws MissingKeyError; UnreadableValueError */
  open(sealed: Buffer, owner: string): Buffer {
    const id = keyIdOf(sealed);
    const headerEnd = 1 + Buffer.byteLength(id);
    const key = this.#byId.get(id)?.key;
    if (key === undefined) throw new MissingKeyError(id, owner);
    const context = Buffer.concat([sealed.subarray(0, headerEnd), Buffer.from(owner)]);
    try {
      return decrypt(key, sealed.subarray(headerEnd), context);
    } catch (error) {
      throw new UnreadableValueError(id, owner, error);
    }
  }

  /** Whether the settings have the key that opens these bytes: another one may have its ID. */
  opens(sealed: Buffer, owner: string): boolean {
    try {
      this.open(sealed, owner);
      return true;
    } catch {
      return false;
    }
  }

  /** The value that `sealJson` got. @throws Error as `open` does */
  openJson(sealed: Buffer, owner: string): unknown {
    return JSON.parse(this.open(sealed, owner).toString());
  }
}

/** AES-256-GCM: a random nonce, the tag, and the ciphertext of the bytes. The context is authenticated with them. */
export function encrypt(key: Buffer, bytes: Buffer, context: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(context);
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** The bytes that `encrypt` got. @throws Error for another key or context, or bytes that were changed. */
export function decrypt(key: Buffer, encrypted: Buffer, context: Buffer): Buffer {
  const bodyAt = NONCE_BYTES + TAG_BYTES;
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(context);
  decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, bodyAt));
  return Buffer.concat([decipher.update(encrypted.subarray(bodyAt)), decipher.final()]);
}

/** The first bytes of all that the key of this ID seals. */
export function sealedHeader(id: string): Buffer {
  return Buffer.from([Buffer.byteLength(id), ...Buffer.from(id)]);
}

/** The first byte is the length of the key's ID. */
function keyIdOf(sealed: Buffer): string {
  return sealed.subarray(1, 1 + (sealed[0] ?? 0)).toString();
}

const FILE = 'encryption-key';

/**
 * The key of one machine, outside production: made when it is first needed, in a file of `DATA_DIR` that only its owner can read.
 * If several processes start at once, one makes it.
 */
export async function localKey(dataDir: string): Promise<EncryptionKey> {
  const file = path.join(dataDir, FILE);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const made = `${file}.${randomUUID()}`;
  await writeFile(made, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600 });
  // The file appears with its content, or it is there already.
  await link(made, file).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await rm(made);
  return readLocalKey(dataDir);
}

/** The key that `localKey` made. @throws Error where there is none */
export async function readLocalKey(dataDir: string): Promise<EncryptionKey> {
  const file = path.join(dataDir, FILE);
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`${file} does not contain a key of ${KEY_BYTES} bytes`);
  return { id: 'local', key };
}
