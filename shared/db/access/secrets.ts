import { createHash, randomBytes } from 'node:crypto';

/** A new secret: 256 random bits in base64url, 43 characters. A prefix makes a leaked one easy to find. */
export function newSecret(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** The SHA-256 of a secret, which is stored: 256 random bits need no slow hash. */
export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
