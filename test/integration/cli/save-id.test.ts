import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
let vendor: CliVendor;
let folder: string;
let descriptor: string;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

// A module whose descriptor has no moduleId.
beforeEach(async () => {
  vendor = await CliVendor.join(app);
  folder = path.join(vendor.scratch, 'soil');
  descriptor = path.join(folder, 'moduleSchema.json');
  await vendor.run('init', folder);
  await writeFile(descriptor, (await readFile(descriptor, 'utf8')).replace(/ {2}"moduleId": .*\n/, ''));
  await chmod(descriptor, 0o640);
});

const idIn = (text: string) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
const rows = () => app.api.database('modules').where({ organizationId: vendor.organization.id });

test('import --save-id writes the new ID into the folder, and the same line imports the second version', async () => {
  const before = await readFile(descriptor, 'utf8');
  const first = await vendor.run('import', folder, '--save-id');
  const moduleId = idIn(first.stdout);
  expect(first.stderr).toContain(
    `Wrote this moduleId into ${descriptor}. The next import of the folder updates the module.\n`,
  );
  expect(await readFile(descriptor, 'utf8')).toBe(before.replace('{\n', `{\n  "moduleId": "${moduleId}",\n`));
  expect((await stat(descriptor)).mode & 0o777).toBe(0o640);
  await writeFile(path.join(folder, 'PackageArtifact/build/index.html'), '<p>second</p>');
  const second = await vendor.run('import', folder, '--save-id');
  expect(second.stdout).toContain(`✓ updated module ${moduleId}\n  revision  2\n`);
  expect(second.stderr).not.toContain('moduleId');
  expect(await rows()).toHaveLength(1);
});

test('without --save-id the import prints the line to add, which leads to a second version', async () => {
  const first = await vendor.run('import', folder, '--json');
  const { moduleId } = JSON.parse(first.stdout) as { moduleId: string };
  const line = `  "moduleId": "${moduleId}",`;
  expect(first.stderr).toContain(
    `warning: ${descriptor} has no moduleId: the next import would create another module. Add this line to it:\n${line}\n`,
  );
  const text = await readFile(descriptor, 'utf8');
  await writeFile(descriptor, text.replace('{\n', `{\n${line}\n`));
  expect((await vendor.run('import', folder)).stdout).toContain(`✓ unchanged module ${moduleId}\n`);
});

test('where the descriptor has an empty moduleId, the import says to replace it: a second one would be invalid', async () => {
  const empty = (await readFile(descriptor, 'utf8')).replace('{\n', '{\n  "moduleId": null,\n');
  await writeFile(descriptor, empty);
  const first = await vendor.run('import', folder);
  const [, value = ''] =
    /Replace the value of its moduleId by this one:\n {2}(.+)\n/.exec(first.stderr) ?? [];
  await writeFile(descriptor, empty.replace('null', value));
  expect((await vendor.run('import', folder)).stdout).toContain(`✓ unchanged module ${idIn(first.stdout)}\n`);
});

test('a ZIP without a moduleId is imported with the same advice; --save-id refuses it before anything is sent', async () => {
  const zip = `${folder}.zip`;
  await vendor.run('pack', folder, '--output', zip);
  const refused = await vendor.run('import', zip, '--save-id');
  expect(refused).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `modulectl: ${zip} is a ZIP, which --save-id cannot edit. Import the folder that it was made from.\n`,
  });
  expect(await rows()).toEqual([]);
  const imported = await vendor.run('import', zip);
  expect(imported.stderr).toContain('warning: moduleSchema.json has no moduleId:');
  expect(imported.stderr).toContain(`"moduleId": "${idIn(imported.stdout)}"`);
});

test.each([['--no-wait'], ['--validate-only']])('--save-id is not combined with %s', async (flag) => {
  const ran = await vendor.run('import', folder, '--save-id', flag);
  expect([ran.exitCode, ran.stderr.includes('cannot be used with')]).toEqual([2, true]);
});
