import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ageRule, DEMONSTRATION } from '../../shared/local/demonstration.ts';
import { writeDemonstration } from '../../shared/local/demonstration-data.ts';
import { readExample, type ExamplePackage } from '../../shared/local/example-package.ts';
import { startDemonstrationApp, type DemonstrationApp } from '../support/demonstration-app.ts';
import { loginAs } from '../support/login.ts';
import { writeOwnCatalogue } from '../support/own-catalogue.ts';
import { replacePlaceholders } from '../support/replace-placeholders.ts';
import { runHere } from '../support/run-modulectl.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../fixtures/example-module');
const { vendor } = DEMONSTRATION;

/** A service whose platform has its own IDs, and not every entry of the shipped catalogue. */
let app: DemonstrationApp;
let example: ExamplePackage;
let scratch: string;

beforeAll(async () => {
  scratch = path.join(inject('scratch'), `own-${randomUUID()}`);
  await mkdir(scratch);
  const catalogueFile = path.join(scratch, 'catalogue.json');
  await writeOwnCatalogue(catalogueFile, ['currencies/EUR', 'crops/wheat', 'types/application']);
  app = await startDemonstrationApp({ CATALOGUE_FILE: catalogueFile });
  example = await readExample(EXAMPLE, app.api.catalogue);
});
afterAll(() => app.stop());

test('the demonstration is written with its IDs, and leaves out what it does not have', async () => {
  expect(example.missing.toSorted()).toEqual(['crops/wheat', 'currencies/EUR', 'types/application']);
  await writeDemonstration({
    url: app.url,
    vendorToken: await app.tokenOf('vendor-admin'),
    farmerToken: await app.tokenOf('farmer-admin'),
    example: example.files,
    ageRule: (ruleId) => ageRule(app.api.database, ruleId),
  });
});

test('modulectl takes the IDs of the server that it is signed in to, says so, and uses them while it is signed out', async () => {
  await loginAs('vendor-admin', ['--server', app.url, '--org', vendor.id], { scratch });
  const folder = path.join(scratch, 'soil');
  const run = (...args: string[]) => runHere(args, { scratch });
  const made = await run('init', folder);
  expect([made.exitCode, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toContain(`\n  IDs: the catalogue of ${app.url}, fetched at `);
  expect(made.stdout).toContain('\n  Left out, not in the catalogue: types/application\n');
  await replacePlaceholders(folder);
  const text = await readFile(path.join(folder, 'moduleSchema.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    $schema: `${app.url}/schemas/module-schema.json`,
    typeId: null,
    categoryId: app.api.catalogue.entry('categories', 'irrigation')?.id,
  });
  const checked = await run('check', folder);
  expect([checked.exitCode, checked.stdout]).toEqual([0, `✓ ${folder} passes.\n`]);
  expect(checked.stderr).toContain(`IDs: the catalogue of ${app.url}, fetched at `);
  expect(await run('import', folder)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^✓ created/) as unknown,
  });
  await run('logout');
  const signedOut = await run('check', folder, '--server', app.url, '--refresh');
  expect([signedOut.exitCode, signedOut.stdout]).toEqual([0, `✓ ${folder} passes.\n`]);
  expect(signedOut.stderr).toContain('Using the rules fetched at ');
});

test('a package without the translations that the platform recommends gets one warning, the same from check and the server', async () => {
  await loginAs('vendor-admin', ['--server', app.url, '--org', vendor.id], { scratch });
  const folder = path.join(scratch, 'english');
  const run = (...args: string[]) => runHere(args, { scratch });
  await run('init', folder);
  await replacePlaceholders(folder);
  const file = path.join(folder, 'moduleSchema.json');
  const descriptor = JSON.parse(await readFile(file, 'utf8')) as { translations: readonly object[] };
  const { catalogue } = app.api;
  const [german = '', spanish = ''] = ['de', 'es'].map((key) => catalogue.entry('languages', key)?.id);
  expect(descriptor.translations.slice(1)).toMatchObject([{ languageId: german }, { languageId: spanish }]);
  const [english] = descriptor.translations;
  await writeFile(file, JSON.stringify({ ...descriptor, translations: [english] }));
  const warningsOf = async (...args: string[]) => {
    const { stdout } = await run(...args, folder, '--json');
    return (JSON.parse(stdout) as { warnings: readonly object[] }).warnings;
  };
  const warnings = await warningsOf('check', '--refresh');
  expect(warnings).toMatchObject([
    {
      code: 'descriptor-translation-recommended',
      detail: `The platform recommends translations that the package does not have: German (${german}), Spanish (${spanish}). Add a translation with each languageId.`,
    },
  ]);
  expect(await warningsOf('import', '--validate-only')).toEqual(warnings);
});
