import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import { runHere } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
let vendor: CliVendor;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  vendor = await CliVendor.join(app);
});

const read = async (path: string) =>
  (await app.as(vendor.organization).get(path)).body as Record<string, unknown>;

test('modules list shows the newest first as a table, and with --json as the server returns them', async () => {
  const first = await vendor.importedModule();
  const second = await vendor.importedModule();
  const lines = (await vendor.run('modules', 'list')).stdout.split('\n');
  expect(lines[0]).toMatch(/^module +name +scope +revision +updated \(UTC\) +last import$/);
  expect(lines.slice(1, 3).map((line) => line.slice(0, 36))).toEqual([second, first]);
  expect(lines[1]).toMatch(/ 1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +succeeded$/);
  const { stdout } = await vendor.run('modules', 'list', '--json');
  expect(JSON.parse(stdout)).toEqual((await read('/modules'))['items']);
});

test('modules show describes the current revision, and with --json prints it as the server returns it', async () => {
  const moduleId = await vendor.importedModule();
  const { exitCode, stdout } = await vendor.run('modules', 'show', moduleId);
  expect([exitCode, stdout.split('\n')[0]]).toEqual([0, moduleId]);
  expect(stdout).toMatch(/^ {2}revision {2}1\n/m);
  expect(stdout).toMatch(/^ {2}files {5}\d+, \d+ bytes\n/m);
  const shown = await vendor.run('modules', 'show', moduleId, '--json');
  expect(JSON.parse(shown.stdout)).toEqual(await read(`/modules/${moduleId}`));
});

test('modules show of an unknown module exits with 2 and prints the server’s message', async () => {
  expect(await vendor.run('modules', 'show', randomUUID())).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'modulectl: Not found. The organization has no such module or revision.\n',
  });
});

describe('modules delete', () => {
  const NAME = 'Soil <moisture>';
  let moduleId: string;

  beforeEach(async () => {
    const { englishId } = app.api.catalogue;
    const translations = [{ languageId: englishId, moduleName: NAME }];
    const file = await vendor.writePackage({ descriptor: { translations } });
    const { stdout } = await vendor.run('import', file, '--json');
    ({ moduleId } = JSON.parse(stdout) as { moduleId: string });
  });

  const isThere = async () => (await app.as(vendor.organization).get(`/modules/${moduleId}`)).status === 200;
  const type = (typed: string) =>
    runHere(['modules', 'delete', moduleId], {
      scratch: vendor.scratch,
      variables: { ...vendor.variables, NO_COLOR: '1' },
      isTTY: true,
      typed,
    });

  test('deletes after its name was typed', async () => {
    const { exitCode, stderr } = await type(`${NAME}\n`);
    expect([exitCode, await isThere()]).toEqual([0, false]);
    expect(stderr).toContain(`Type ${NAME} to confirm: `);
    expect(stderr).toContain(`Deleted the module ${NAME} (${moduleId}).\n`);
  });

  test.each([['yes\n'], ['\n'], ['']])('deletes nothing after %j', async (typed) => {
    const { exitCode, stderr } = await type(typed);
    expect([exitCode, await isThere()]).toEqual([2, true]);
    expect(stderr).toContain('modulectl: Nothing was deleted.\n');
  });

  test('without a terminal needs --yes', async () => {
    const refused = await vendor.run('modules', 'delete', moduleId);
    expect([refused.exitCode, await isThere()]).toEqual([2, true]);
    expect(refused.stderr).toContain('Run it in a terminal, or use --yes.\n');
    expect((await vendor.run('modules', 'delete', moduleId, '--yes')).exitCode).toBe(0);
    expect(await isThere()).toBe(false);
  });
});
