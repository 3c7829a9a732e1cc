import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** A new secret for a session's cookie: 32 random bytes in base64url, 43 characters. */
export function makeSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a session's secret: its SHA-256. */
export function sessionTokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The key that only the owner of the cookie can derive: the database has only a hash of the secret. */
function keyOf(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', 'session', 32));
}

/** Encrypts a text so that only a caller with the session's secret can read it. */
export function sealText(text: string, token: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(token), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** The text of `sealText`. @throws Error where the secret is wrong, or the bytes were changed. */
export function openText(sealed: Buffer, token: string): string {
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, keyOf(token), sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, tagEnd));
  return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]).toString('utf8');
}
