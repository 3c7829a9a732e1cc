import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EncryptionKeys, localKey } from '../../../shared/encryption/encryption-keys.ts';

const newKey = (id: string) => ({ id, key: randomBytes(32) });
const SECRET = Buffer.from('geheim: ünï 🔑');
const OWNER = 'environment of module 1';

test('what was sealed can be opened, and shows nothing of its content', () => {
  const keys = new EncryptionKeys([newKey('a')]);
  const sealed = keys.seal(SECRET, OWNER);
  expect(sealed.includes('geheim')).toBe(false);
  expect(keys.open(sealed, OWNER)).toEqual(SECRET);
  expect(keys.open(keys.seal(Buffer.alloc(0), OWNER), OWNER)).toEqual(Buffer.alloc(0));
});

test('equal contents are sealed as different bytes', () => {
  const keys = new EncryptionKeys([newKey('a')]);
  expect(keys.seal(SECRET, OWNER)).not.toEqual(keys.seal(SECRET, OWNER));
});

test('what belongs to one owner cannot be opened as that of another', () => {
  const keys = new EncryptionKeys([newKey('a')]);
  expect(() => keys.open(keys.seal(SECRET, OWNER), 'environment of module 2')).toThrow();
});

test('no byte of what was sealed can be changed, and none can be left out', () => {
  const keys = new EncryptionKeys([newKey('a')]);
  const sealed = keys.seal(SECRET, OWNER);
  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => keys.open(changed, OWNER), `byte ${index}`).toThrow();
    expect(() => keys.open(sealed.subarray(0, index), OWNER), `${index} bytes`).toThrow();
  }
});

test('after a rotation the new key seals, and the old one still opens until it is removed', () => {
  const [older, newer] = [newKey('2026'), newKey('2027')];
  const sealed = new EncryptionKeys([older]).seal(SECRET, OWNER);
  const rotated = new EncryptionKeys([newer, older]);
  expect(rotated.open(sealed, OWNER)).toEqual(SECRET);
  const again = rotated.seal(SECRET, OWNER);
  expect(new EncryptionKeys([newer]).open(again, OWNER)).toEqual(SECRET);
  expect(() => new EncryptionKeys([newer]).open(sealed, OWNER)).toThrow(
    'ENCRYPTION_KEYS has no key "2026", which sealed environment of module 1',
  );
});

test('another key with the same ID opens nothing', () => {
  const sealed = new EncryptionKeys([newKey('a')]).seal(SECRET, OWNER);
  expect(() => new EncryptionKeys([newKey('a')]).open(sealed, OWNER)).toThrow();
});

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(os.tmpdir(), 'local-key-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return path.join(made, 'data');
}

test('processes that start at once share one local key, which only its owner can read', async () => {
  const dataDir = await folder();
  const keys = await Promise.all(Array.from({ length: 8 }, () => localKey(dataDir)));
  expect(new Set(keys.map(({ key }) => key.toString('hex'))).size).toBe(1);
  expect((await stat(path.join(dataDir, 'encryption-key'))).mode & 0o777).toBe(0o600);
  expect(await localKey(dataDir)).toEqual(keys[0]);
});

test('a local key that was damaged is refused, not replaced', async () => {
  const dataDir = await folder();
  await localKey(dataDir);
  await writeFile(path.join(dataDir, 'encryption-key'), randomUUID());
  await expect(localKey(dataDir)).rejects.toThrow('does not contain a key of 32 bytes');
});
