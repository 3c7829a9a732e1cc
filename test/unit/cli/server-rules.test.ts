import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCachedRules, readRules, writeCachedRules } from '../../../shared/cli/rules.ts';
import { openClient } from '../../../shared/cli/server.ts';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { ENGLISH_ID, GERMAN_ID } from '../../support/package-builder.ts';

const SERVER = 'https://modules.example';
const { id, key, value } = { id: ENGLISH_ID, key: 'en', value: 'English' };
const SETS = {
  languages: [{ id, key, value }],
  dataAreas: loadCatalogue().sets.get('dataAreas'),
};
const LIMITS = { ...DEFAULT_PACKAGE_LIMITS, requiredFolders: ['ModuleToS'] };
const ANSWERS = { limits: LIMITS, sets: SETS };

let folder: string;

beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'modulectl-test-')), 'cache');
});

afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

test('rules are cached by server, in one file without leftovers', async () => {
  expect(await readCachedRules(folder, SERVER)).toBeNull();
  await writeCachedRules(folder, SERVER, ANSWERS);
  expect((await readCachedRules(folder, SERVER))?.rules).toMatchObject({
    limits: DEFAULT_PACKAGE_LIMITS,
    requiredFolders: ['ModuleToS'],
    catalogue: { englishId: ENGLISH_ID },
  });
  expect(await readCachedRules(folder, 'https://other.example')).toBeNull();
  expect(await readdir(folder)).toHaveLength(1);
});

test('cached rules have the languages in which the server recommends translations', async () => {
  const languages = [...SETS.languages, { id: GERMAN_ID, key: 'de', value: 'German', recommended: true }];
  await writeCachedRules(folder, SERVER, { ...ANSWERS, sets: { ...SETS, languages } });
  const cached = await readCachedRules(folder, SERVER);
  expect(cached?.rules.catalogue.recommendedLanguages).toEqual(new Map([[GERMAN_ID, 'German']]));
});

test.each([
  ['cut off', '{"server":'],
  ['empty', ''],
  ['of another kind', '[]'],
  ['of another server', JSON.stringify({ server: 'https://x.example', fetchedAtMs: 1, ...ANSWERS })],
  ['from the future', JSON.stringify({ server: SERVER, fetchedAtMs: 9e15, ...ANSWERS })],
  ['without rules', JSON.stringify({ server: SERVER, fetchedAtMs: 1 })],
])('a cache that is %s is ignored', async (_title, text) => {
  await writeCachedRules(folder, SERVER, ANSWERS);
  const [name = ''] = await readdir(folder);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), text);
  expect(await readCachedRules(folder, SERVER)).toBeNull();
});

test.each([
  ['a limit is missing', { limits: { requiredFolders: [] } }],
  ['a limit is negative', { limits: { ...LIMITS, maxEntries: -1 } }],
  ['a limit is not a number', { limits: { ...LIMITS, maxEntries: '5' } }],
  ['an ID is invalid', { sets: { ...SETS, types: [{ id: 'x', key, value }] } }],
  ['a set is not a list', { sets: { ...SETS, types: {} } }],
  ['the sets are missing', { sets: undefined }],
  ['English is missing', { sets: { ...SETS, languages: [{ id, key: 'de', value }] } }],
  ['folders are not a list', { limits: { ...LIMITS, requiredFolders: 'ModuleToS' } }],
])('rules where %s are ignored', (_title, members) => {
  expect(readRules(ANSWERS)).not.toBeNull();
  expect(readRules({ ...ANSWERS, ...members })).toBeNull();
});

test('a token is not sent over http to another machine', () => {
  const settings = { server: 'http://modules.example', token: 'secret-token', organization: null };
  expect(() => openClient(settings)).toThrow(/Use https/);
});
