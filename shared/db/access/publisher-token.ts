import { createHash, randomBytes } from 'node:crypto';

/** Distinguishes it from the issuers' tokens, and makes a leaked one easy to find. */
const PREFIX = 'mmp_';
const FORM = /^mmp_[\w-]{43}$/;

/** Makes the access token of a trusted publisher: 256 random bits. */
export function makePublisherToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** Whether a bearer token has the form of a trusted publisher's. */
export function isPublisherToken(text: string): boolean {
  return FORM.test(text);
}

/** The hash of a token that is stored: 256 random bits need no slow hash. */
export function hashPublisherToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
