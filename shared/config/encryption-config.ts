import { KEY_BYTES, type EncryptionKey } from '../encryption/encryption-keys.ts';
import type { SettingsReader } from './settings-reader.ts';

const NAME = 'ENCRYPTION_KEYS';
const FORM = /^(?<id>[\w.-]{1,32}):(?<text>[A-Za-z0-9+/]+={0,2})$/;

/** Reads the keys that seal values in the database; the first seals, every key opens. No issue repeats a key. */
export function readEncryptionKeys(read: SettingsReader): readonly EncryptionKey[] {
  const keys = read.list(NAME).flatMap((item, index): EncryptionKey[] => {
    const { id, text } = FORM.exec(item)?.groups ?? {};
    const key = Buffer.from(text ?? '', 'base64');
    if (id !== undefined && key.length === KEY_BYTES) return [{ id, key }];
    read.addIssue(
      NAME,
      `must be id:key, separated by commas, with keys of ${KEY_BYTES} bytes in base64 (openssl rand -base64 32): item ${index + 1} is not`,
    );
    return [];
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) read.addIssue(NAME, 'has one ID twice');
  return keys;
}
