import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { DEFAULT_PACKAGE_LIMITS } from '../../../shared/package/limits.ts';
import { packageCorpus } from '../../support/package-corpus.ts';
import {
  ALERTS_AREA_ID,
  ENGLISH_ID,
  FARM_AREA_ID,
  GERMAN_ID,
  SPANISH_ID,
} from '../../support/package-builder.ts';
import { runHere, spawnModulectl, buildModulectl } from '../../support/run-modulectl.ts';
import { expectSameResults, serverResult } from '../../support/same-result.ts';
import { startTestApp } from '../../support/test-app.ts';

/** The catalogue that the unit tests of the rules use, as a catalogue file. */
const CATALOGUE = {
  languages: [
    { id: ENGLISH_ID, key: 'en', value: 'English' },
    { id: GERMAN_ID, key: 'de', value: 'German' },
    { id: SPANISH_ID, key: 'es', value: 'Spanish' },
  ],
  dataAreas: [
    { id: FARM_AREA_ID, key: 'FarmOrganization', value: 'Farm' },
    { id: ALERTS_AREA_ID, key: 'FarmOrganizationAlerts', value: 'Alerts' },
  ],
};

/** Packages that prove the connection, besides those of every ZIP tool: both validate by the same rules, which `test/unit/package/` proves. */
const SAMPLE: readonly string[] = [
  'structure: an empty file',
  'invalid: layout-wrapped-in-folder',
  'invalid: layout-file-type',
  'invalid: descriptor-invalid',
  'invalid: descriptor-property-unknown',
  'invalid: roles-invalid',
  'invalid: alert-rules-invalid',
  'more problems than are reported',
  'good',
];
const corpus = packageCorpus();
const STANDARD = corpus.filter(({ title }) => SAMPLE.includes(title) || title.startsWith('tool: '));
/** One that needs other limits than the default ones. */
const LIMITED = corpus.filter(({ limits }) => Object.keys(limits).length > 0).slice(0, 1);

async function makeScratch(): Promise<string> {
  const scratch = path.join(inject('scratch'), `cli-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  return scratch;
}

beforeAll(buildModulectl);

test.each([
  ['the default limits', STANDARD],
  ['other limits', LIMITED],
])('modulectl prints, byte for byte, the server’s result under %s', async (_limits, packages) => {
  const scratch = await makeScratch();
  const catalogueFile = path.join(scratch, 'catalogue.json');
  await writeFile(catalogueFile, JSON.stringify(CATALOGUE));
  const app = await startTestApp({
    settings: { CATALOGUE_FILE: catalogueFile, MAX_IMPORTS_PER_MINUTE: '100000' },
    config: { limits: packages[0]?.limits ?? {} },
  });
  try {
    const refused = await expectSameResults(app, scratch, packages);
    // An empty upload does not become an import.
    expect(refused.filter((title) => title !== 'structure: an empty file')).toEqual([]);
  } finally {
    await app.stop();
    await rm(scratch, { recursive: true, force: true });
  }
});

test('without a server, limits and catalogue are those of a server with default settings', async () => {
  const scratch = await makeScratch();
  const app = await startTestApp();
  const vendor = await app.organization();
  try {
    expect((await app.fetch('/api/v8.0/limits')).body).toMatchObject(DEFAULT_PACKAGE_LIMITS);
    const sample = corpus.filter(({ title }) => /^(?:faulty|good|with)/.test(title));
    for (const { title, bytes } of sample) {
      const file = path.join(scratch, 'package.zip');
      await writeFile(file, bytes);
      const { stdout } = await runHere(['check', file, '--json'], { scratch });
      expect(stdout, title).toBe(`${await serverResult(app, vendor, bytes)}\n`);
    }
  } finally {
    await app.stop();
  }
});

/** The corpus's package that breaks the rule of a code. */
function invalidPackage(code: string): Buffer {
  const found = corpus.find(({ title }) => title === `invalid: ${code}`);
  if (found === undefined) throw new Error(`the corpus has no package for ${code}`);
  return found.bytes;
}

test('the started program prints the same, and uses its cache when the server is unavailable', async () => {
  const scratch = await makeScratch();
  const app = await startTestApp({
    settings: { REQUIRED_FOLDERS: 'ModuleImage' },
    config: { limits: { maxPathBytes: 60 } },
  });
  const vendor = await app.organization();
  const variables = { MODULECTL_TOKEN: vendor.admin.replace('Bearer ', ''), MODULECTL_SERVER: app.url };
  const bytes = invalidPackage('layout-file-type');
  const other = invalidPackage('layout-wrapped-in-folder');
  await writeFile(path.join(scratch, 'a.zip'), bytes);
  await writeFile(path.join(scratch, 'b.zip'), other);
  const expected = [await serverResult(app, vendor, bytes), await serverResult(app, vendor, other)];
  const first = await spawnModulectl(['check', 'a.zip', '--json'], { scratch, variables });
  expect(first).toEqual({ exitCode: 1, stdout: `${expected[0]}\n`, stderr: '' });
  await app.stop();
  const run = (...args: string[]) => runHere(args, { scratch, cwd: scratch, variables });
  const cached = await run('check', 'b.zip', '--json');
  expect(cached).toEqual({ exitCode: 1, stdout: `${expected[1]}\n`, stderr: '' });
  const stale = await run('check', 'a.zip', '--json', '--refresh');
  expect(stale).toMatchObject({ exitCode: 1, stdout: first.stdout });
  expect(stale.stderr).toMatch(
    /^warning: The server does not answer: .*127\.0\.0\.1:\d+\. Using the rules fetched at 20/,
  );
  await rm(path.join(scratch, 'cache'), { recursive: true });
  const none = await run('check', 'a.zip', '--json');
  expect([none.exitCode, none.stdout]).toEqual([2, '']);
  expect(none.stderr).not.toContain(variables.MODULECTL_TOKEN);
});
