import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { hashOfSecret } from './secrets.ts';

const PREFIX = 'mmk_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** 62^43 is the first power above 2^256, 62^6 the first above 2^32. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 12;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new API key. `secret` is shown once; only its hash and its start are stored. */
export interface NewApiKey {
  readonly secret: string;
  readonly sha256: Buffer;
  /** The first 12 characters, by which people distinguish keys. */
  readonly start: string;
}

/** Makes a key of 256 random bits. */
export function makeApiKey(): NewApiKey {
  const random = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
  const body = PREFIX + base62(random, SECRET_LENGTH);
  const secret = body + checksum(body);
  return { secret, sha256: hashOfSecret(secret), start: secret.slice(0, SHOWN_LENGTH) };
}

/** Whether a text has a key's form and checksum: a typo is recognized without a query. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === text.slice(-CHECKSUM_LENGTH);
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= 62n) digits = (ALPHABET[Number(rest % 62n)] ?? '') + digits;
  return digits.padStart(length, '0');
}
