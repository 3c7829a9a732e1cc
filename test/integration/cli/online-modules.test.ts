import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import type { CliRun } from '../../support/run-modulectl.ts';
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

describe('export', () => {
  test('writes the package of the server, which imports back as unchanged', async () => {
    const moduleId = await vendor.importedModule();
    const target = path.join(vendor.scratch, 'out.zip');
    const { exitCode, stdout } = await vendor.run('export', moduleId, '--output', target);
    const bytes = await readFile(target);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect([exitCode, stdout]).toEqual([
      0,
      `${target}\n  size     ${bytes.length} bytes\n  sha-256  ${sha256}\n`,
    ]);
    expect((await vendor.run('import', target)).stdout).toContain('✓ unchanged');
  });

  test('--as-new creates another module', async () => {
    const moduleId = await vendor.importedModule();
    const target = path.join(vendor.scratch, 'new.zip');
    await vendor.run('export', moduleId, '--as-new', '--output', target);
    expect((await vendor.run('import', target)).stdout).toMatch(
      new RegExp(`✓ created module (?!${moduleId})[0-9a-f-]{36}`),
    );
  });

  test('of an unknown module exits with 2 and writes no file', async () => {
    const target = path.join(vendor.scratch, 'none.zip');
    const { exitCode, stderr } = await vendor.run('export', randomUUID(), '--output', target);
    expect([exitCode, stderr]).toEqual([
      2,
      'modulectl: Not found. The organization has no such module or revision.\n',
    ]);
    await expect(readFile(target)).rejects.toThrow('ENOENT');
  });
});

describe('keys', () => {
  const clientOf = ({ stderr }: CliRun) => /\((?<id>[0-9a-f-]{36})\)/.exec(stderr)?.groups?.['id'] ?? '';

  test('create writes only the key to standard output; list never shows it', async () => {
    const moduleId = await vendor.importedModule();
    const created = await vendor.run('keys', 'create', moduleId, '--name', 'Back end');
    expect(created.stdout).toMatch(/^mmk_\w{49}\n$/);
    expect(created.stderr).toContain('Key of the client Back end (');
    const listed = await vendor.run('keys', 'list', moduleId);
    expect(listed.stdout).toContain(clientOf(created));
    expect(listed.stdout).toContain('Back end');
    expect(listed.stdout).not.toContain(created.stdout.trim());
  });

  test('create accepts the time that its help shows', async () => {
    const help = (await vendor.run('keys', 'create', '--help')).stdout;
    const time = /such as\s+(?<time>\S+Z)/.exec(help)?.groups?.['time'] ?? '';
    const moduleId = await vendor.importedModule();
    const created = await vendor.run('keys', 'create', moduleId, '--expires-on', time);
    expect([created.exitCode, created.stderr.includes(time.slice(0, 10))]).toEqual([0, true]);
  });

  test('rotate returns another key for the same client, and revoke ends it', async () => {
    const moduleId = await vendor.importedModule();
    const created = await vendor.run('keys', 'create', moduleId);
    const client = clientOf(created);
    const rotated = await vendor.run('keys', 'rotate', moduleId, client, '--overlap', '60');
    expect(clientOf(rotated)).toBe(client);
    expect(rotated.stdout).not.toBe(created.stdout);
    expect((await vendor.run('keys', 'revoke', moduleId, client)).exitCode).toBe(0);
    const call = await app.fetch(`/api/v8.0/Alerts/RulesByModuleId/${moduleId}`, {
      headers: { 'X-Api-Key': rotated.stdout.trim() },
    });
    expect(call.status).toBe(401);
  });

  test.for(['', 'soon', '-1', '0x10'])(
    'rotate with the overlap %j changes nothing and exits with 2',
    async (overlap) => {
      const moduleId = await vendor.importedModule();
      const client = clientOf(await vendor.run('keys', 'create', moduleId));
      const { exitCode, stderr } = await vendor.run('keys', 'rotate', moduleId, client, '--overlap', overlap);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('whole number')]);
      const listed = await vendor.run('keys', 'list', moduleId, '--json');
      expect(JSON.parse(listed.stdout)).toMatchObject([{ clientId: client }]);
    },
  );
});

test.for([
  ['imports', 'list', '--limit', ''],
  ['imports', 'list', '--limit', '1e2'],
  ['export', randomUUID(), '--revision', '0'],
])('%j exits with 2: only a whole number from 1 is one', async (args) => {
  const { exitCode, stdout, stderr } = await vendor.run(...args);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining('whole number')]);
});

test('imports list shows the newest first, and with --status only those of one status', async () => {
  const good = JSON.parse((await vendor.run('import', await vendor.writePackage(), '--json')).stdout) as {
    importId: string;
  };
  const bad = await vendor.run(
    'import',
    await vendor.writePackage({ descriptor: { schema: '9' } }),
    '--json',
  );
  expect(bad.exitCode).toBe(1);
  const { importId } = JSON.parse(bad.stdout) as { importId: string };
  const lines = (await vendor.run('imports', 'list')).stdout.split('\n');
  expect(lines.slice(1, 3).map((line) => line.slice(0, 36))).toEqual([importId, good.importId]);
  expect((await vendor.run('imports', 'list', '--status', 'rejected')).stdout).not.toContain(good.importId);
  expect((await vendor.run('imports', 'show', importId)).stdout).toMatch(
    /error descriptor-schema-unsupported {2}moduleSchema\.json:\d+:\d+\n/,
  );
});

test("catalogue lists the server's sets", async () => {
  const { stdout } = await vendor.run('catalogue', 'dataAreas', '--json');
  const answer = await app.fetch('/api/v8.0/CommonData/dataAreas', {
    headers: { Authorization: vendor.organization.member },
  });
  expect(JSON.parse(stdout)).toEqual(answer.body.items);
  expect((await vendor.run('catalogue')).stdout).toMatch(/^languages +\d+$/m);
});
