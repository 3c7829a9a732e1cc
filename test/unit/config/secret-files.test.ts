import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig, loadMigrationConfig } from '../../../shared/config/config.ts';
import { SECRET_SETTINGS, SettingsReader } from '../../../shared/config/settings-reader.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'secret-files-'));
const file = path.join(folder, 'database');
const URL_IN_FILE = 'postgres://me:geheim@db/modules';
writeFileSync(file, `${URL_IN_FILE}\n`);

afterAll(() => rmSync(folder, { recursive: true }));

test.each(SECRET_SETTINGS)('%s may be in a file; a line break at the end is ignored', (name) =>
  expect(new SettingsReader({ [`${name}_FILE`]: file }).optional(name)).toBe(URL_IN_FILE),
);

test('a secret that is set twice is refused, and not repeated', () => {
  const twice = { DATABASE_URL: 'postgres://other@db', DATABASE_URL_FILE: file };
  expect(() => loadConfig(twice)).toThrow('DATABASE_URL and DATABASE_URL_FILE are both set: keep one');
});

test('a missing file is reported with its setting', () => {
  const absent = { REDIS_URL_FILE: path.join(folder, 'absent') };
  expect(() => loadConfig(absent)).toThrow(/REDIS_URL_FILE names a file that cannot be read: .*absent/);
});

test('the migrate step needs only a database, and connects to it directly', () => {
  expect(loadMigrationConfig({ NODE_ENV: 'production', DATABASE_URL_FILE: file }).url).toBe(URL_IN_FILE);
  const direct = { DATABASE_URL: 'postgres://pooler/modules', DATABASE_LISTEN_URL: 'postgres://db/modules' };
  expect(loadMigrationConfig(direct).url).toBe('postgres://db/modules');
  expect(() => loadMigrationConfig({})).toThrow('DATABASE_URL must be set');
});

test('docs/operators.md names every secret that may be in a file', () => {
  const page = readFileSync('docs/operators.md', 'utf8');
  for (const name of SECRET_SETTINGS) expect(page).toContain(`\`${name}_FILE\``);
});
