import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCachedRules, readRules, writeCachedRules } from '../../../shared/cli/rules-cache.ts';
import { openClient } from '../../../shared/cli/server.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { ENGLISH_ID } from '../../support/package-builder.ts';

const SERVER = 'https://modules.example';
const RULES = {
  limits: DEFAULT_PACKAGE_LIMITS,
  requiredFolders: ['ModuleToS'],
  englishId: ENGLISH_ID,
  languageIds: [ENGLISH_ID],
  dataAreaIds: [],
  documentTypes: ['termsOfService'],
  deploymentTypes: ['0'],
  idSets: { types: [ENGLISH_ID] },
} as const;

let folder: string;

beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'modulectl-test-')), 'cache');
});

afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

test('rules are cached by server, in one file without leftovers', async () => {
  expect(await readCachedRules(folder, SERVER)).toBeNull();
  await writeCachedRules(folder, SERVER, RULES);
  expect((await readCachedRules(folder, SERVER))?.rules).toEqual(RULES);
  expect(await readCachedRules(folder, 'https://other.example')).toBeNull();
  expect(await readdir(folder)).toHaveLength(1);
});

test.each([
  ['cut off', '{"server":'],
  ['empty', ''],
  ['of another kind', '[]'],
  ['of another server', JSON.stringify({ server: 'https://x.example', fetchedAtMs: 1, rules: RULES })],
  ['from the future', JSON.stringify({ server: SERVER, fetchedAtMs: 9e15, rules: RULES })],
  ['without rules', JSON.stringify({ server: SERVER, fetchedAtMs: 1 })],
])('a cache that is %s is ignored', async (_title, text) => {
  await writeCachedRules(folder, SERVER, RULES);
  const [name = ''] = await readdir(folder);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), text);
  expect(await readCachedRules(folder, SERVER)).toBeNull();
});

test.each([
  ['a limit is missing', { limits: {} }],
  ['a limit is negative', { limits: { ...DEFAULT_PACKAGE_LIMITS, maxEntries: -1 } }],
  ['a limit is not a number', { limits: { ...DEFAULT_PACKAGE_LIMITS, maxEntries: '5' } }],
  ['an ID is invalid', { languageIds: ['x'] }],
  ['an ID of a set is invalid', { idSets: { types: ['x'] } }],
  ['the sets are missing', { idSets: undefined }],
  ['English is missing', { englishId: undefined }],
  ['folders are not a list', { requiredFolders: 'ModuleToS' }],
])('rules where %s are ignored', (_title, members) => {
  expect(readRules(RULES)).toEqual(RULES);
  expect(readRules({ ...RULES, ...members })).toBeNull();
});

test('a token is not sent over http to another machine', () => {
  const settings = { server: 'http://modules.example', token: 'secret-token', organization: null };
  expect(() => openClient(settings)).toThrow(/Use https/);
});
