import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isApiKey, makeApiKey } from '../../../shared/db/access/api-key.ts';
import { hashOfSecret } from '../../../shared/db/access/secrets.ts';

test('a key is mmk_, 43 characters of secret and 6 of checksum', () =>
  expect(makeApiKey().secret).toMatch(/^mmk_[0-9A-Za-z]{49}$/));

test('a generated key passes its own check, and is identified by its first twelve characters', () => {
  const { secret, start, sha256 } = makeApiKey();
  expect(isApiKey(secret)).toBe(true);
  expect(secret.startsWith(start)).toBe(true);
  expect(start).toHaveLength(12);
  expect(sha256).toEqual(createHash('sha256').update(secret).digest());
  expect(hashOfSecret(secret)).toEqual(sha256);
});

test('keys do not repeat', () =>
  expect(new Set(Array.from({ length: 1_000 }, () => makeApiKey().secret)).size).toBe(1_000));

test('the checksum is the CRC-32 of the characters before it, in base62', () => {
  // Computed with Python's zlib.crc32.
  expect(isApiKey(`mmk_${'0'.repeat(43)}0gsFzZ`)).toBe(true);
  expect(isApiKey(`mmk_${'0'.repeat(43)}000000`)).toBe(false);
});

test('every typo in one character is refused', () => {
  const { secret } = makeApiKey();
  for (let at = 0; at < secret.length; at += 1) {
    const other = secret[at] === 'x' ? 'y' : 'x';
    expect(isApiKey(secret.slice(0, at) + other + secret.slice(at + 1)), `character ${at}`).toBe(false);
  }
});

test.each(['', 'mmk_', 'x'.repeat(53), `${makeApiKey().secret} `, `${makeApiKey().secret}\n`])(
  'a text that is not in the form of a key is refused: %j',
  (text) => expect(isApiKey(text)).toBe(false),
);
