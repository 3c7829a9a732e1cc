import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import AdmZip from 'adm-zip';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import type { CliRun } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

const HTML = 'PackageArtifact/build/index.html';
const TERMS = 'ModuleToS/terms.md';

let app: TestApp;
let vendor: CliVendor;
let moduleId: string;
let uploaded: string;
let exported: string;
/** The export, unpacked. */
let folder: string;
/** The record, in a file. */
let record: string;

beforeAll(async () => {
  app = await startTestApp();
  vendor = await CliVendor.join(app);
  const inScratch = (name: string) => path.join(vendor.scratch, name);
  [exported, folder, record] = [inScratch('exported.zip'), inScratch('exported'), inScratch('record.json')];
  uploaded = await vendor.writePackage({
    descriptor: {
      environmentVariables: [{ appEnvironmentId: randomUUID(), key: 'PIN', value: '1234' }],
    },
  });
  const { stdout } = await vendor.run('import', uploaded, '--json');
  ({ moduleId } = JSON.parse(stdout) as { moduleId: string });
  await vendor.run('export', moduleId, '--output', exported);
  new AdmZip(exported).extractAllTo(folder);
  const answer = await app.fetch(`/api/v8.0/publicationRecords/${moduleId}`);
  await writeFile(record, answer.text);
});

afterAll(() => app.stop());

/** Compares without server and token. */
async function offline(file: string, from = record): Promise<CliRun> {
  const none = { MODULECTL_SERVER: '', MODULECTL_TOKEN: '', MODULECTL_ORG: '' };
  return vendor.runWith(none, 'verify', file, '--record', from);
}

/** The unpacked export in a folder of its own, changed. */
async function changedFolder(change: (at: (name: string) => string) => Promise<void>): Promise<string> {
  const copy = path.join(vendor.scratch, randomUUID());
  await cp(folder, copy, { recursive: true });
  await change((name) => path.join(copy, name));
  return copy;
}

describe('what was published verifies', () => {
  test('an export, with the record of the server and no token', async () => {
    const ran = await vendor.runWith({ MODULECTL_TOKEN: '' }, 'verify', exported);
    expect(ran.stdout).toContain(`is revision 1 of module ${moduleId}`);
    expect(ran.stdout).toContain('every file and the descriptor are the same');
    expect(ran.stdout).toContain('The values of environment variables are not in the record');
    expect(ran.exitCode).toBe(0);
  });

  test('an export, an unpacked export and the uploaded ZIP, offline', async () => {
    expect((await offline(exported)).exitCode).toBe(0);
    expect((await offline(folder)).exitCode).toBe(0);
    const ran = await offline(uploaded);
    expect(ran.stdout).toContain('the uploaded archive, byte for byte');
    expect(ran.exitCode).toBe(0);
  });

  test('the uploaded package, unpacked: the record has the ID that the import gave it', async () => {
    const unpacked = path.join(vendor.scratch, 'uploaded');
    new AdmZip(uploaded).extractAllTo(unpacked);
    expect((await offline(unpacked)).exitCode).toBe(0);
  });

  test('the export of an older revision, which --revision names', async () => {
    const own = await vendor.importedModule();
    const first = path.join(vendor.scratch, 'first.zip');
    await vendor.run('export', own, '--output', first);
    const next = await vendor.writePackage({ descriptor: { moduleId: own, component: 'next' } });
    await vendor.run('import', next);
    expect((await vendor.run('verify', first)).exitCode).toBe(1);
    expect((await vendor.run('verify', first, '--revision', '1')).exitCode).toBe(0);
  });
});

describe('what differs is named, with exit code 1', () => {
  test('a changed, a missing, an added and a renamed file', async () => {
    const changed = await changedFolder(async (at) => {
      const html = await readFile(at(HTML));
      html[0] = 0x20;
      await writeFile(at(HTML), html);
      await rm(at('ModulePrivacy/privacy.md'));
      await mkdir(at('PackageArtifact/build/more'));
      await writeFile(at('PackageArtifact/build/more/added.js'), 'alert(1)');
      await rename(at(TERMS), at('ModuleToS/conditions.md'));
    });
    const { stdout, exitCode } = await offline(changed);
    expect(exitCode).toBe(1);
    expect(stdout.split('\n').slice(1)).toEqual([
      '  missing   ModulePrivacy/privacy.md',
      `  renamed   ${TERMS} to ModuleToS/conditions.md`,
      `  changed   ${HTML}`,
      '  added     PackageArtifact/build/more/added.js',
      '',
    ]);
  });

  test('a changed byte in a ZIP', async () => {
    const zip = new AdmZip(exported);
    zip.updateFile(HTML, Buffer.from('<!doctype html><title>Other</title>'));
    const changed = path.join(vendor.scratch, 'changed.zip');
    zip.writeZip(changed);
    const { stdout, exitCode } = await offline(changed);
    expect([stdout.split('\n')[1], exitCode]).toEqual([`  changed   ${HTML}`, 1]);
  });

  test.each([
    ['another descriptor', (text: string) => text.replace('Soil moisture', 'Soil moisture 2')],
    ['another key of an environment variable', (text: string) => text.replace('"PIN"', '"PIN2"')],
    ['a descriptor that is none', () => '{}'],
  ])('%s', async (_name, edit) => {
    const changed = await changedFolder(async (at) => {
      await writeFile(at('moduleSchema.json'), edit(await readFile(at('moduleSchema.json'), 'utf8')));
    });
    const { stdout, exitCode } = await offline(changed);
    expect(stdout).toMatch(/ {2}(changed|missing) {3}moduleSchema\.json\n/);
    expect(exitCode).toBe(1);
  });

  test('the value of an environment variable is not compared, as the output says', async () => {
    const changed = await changedFolder(async (at) => {
      const text = await readFile(at('moduleSchema.json'), 'utf8');
      await writeFile(at('moduleSchema.json'), text.replace('"1234"', '"4321"'));
    });
    expect((await offline(changed)).exitCode).toBe(0);
  });

  test('files that the record does not name', async () => {
    const short = path.join(vendor.scratch, 'short.json');
    await writeFile(short, (await app.fetch(`/api/v8.0/publicationRecords/${moduleId}?files=false`)).text);
    expect((await offline(exported, short)).exitCode).toBe(0);
    const changed = await changedFolder((at) => writeFile(at(HTML), 'other'));
    const { stdout, exitCode } = await offline(changed, short);
    expect(stdout).toContain('Its files differ. The record does not name the files');
    expect(exitCode).toBe(1);
  });

  test('as JSON', async () => {
    const changed = await changedFolder((at) => writeFile(at(HTML), 'other'));
    const { stdout } = await vendor.run('verify', changed, '--record', record, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      verified: false,
      moduleId,
      revision: 1,
      differences: [{ kind: 'changed', path: HTML }],
    });
  });
});

describe('what cannot be compared, with exit code 2', () => {
  test('a record that contradicts itself, that is none, or that does not exist', async () => {
    const forged = path.join(vendor.scratch, 'forged.json');
    const original = await readFile(record, 'utf8');
    await writeFile(forged, original.replace('build/index.html', 'build/other.html'));
    const ran = await offline(exported, forged);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('The record contradicts itself')]);
    await writeFile(forged, '{}');
    expect((await offline(exported, forged)).exitCode).toBe(2);
    expect((await offline(exported, path.join(vendor.scratch, 'none.json'))).exitCode).toBe(2);
  });

  test('a revision without a record', async () => {
    const ran = await vendor.run('verify', exported, '--revision', '7');
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('No such revision')]);
  });

  test('a package that names no module, without --module', async () => {
    const ran = await vendor.run('verify', uploaded);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('--module')]);
    expect((await vendor.run('verify', uploaded, '--module', moduleId)).exitCode).toBe(0);
  });
});
