import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { CliVendor } from '../../support/cli-vendor.ts';
import { startDemonstrationApp } from '../../support/demonstration-app.ts';
import { loginAs } from '../../support/login.ts';
import { runHere } from '../../support/run-modulectl.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ settings: { PORTAL_CLIENT_ID: 'module-portal' } });
});

afterAll(() => app.stop());

/** A vendor with a module of this name and scope. */
async function addModule(vendor: CliVendor, moduleName: string, scope: string): Promise<string> {
  const translations = [{ languageId: app.api.catalogue.englishId, moduleName }];
  const file = await vendor.writePackage({ descriptor: { translations, scope } });
  const { stdout } = await vendor.run('import', file, '--json');
  return (JSON.parse(stdout) as { moduleId: string }).moduleId;
}

test('a module is named by its ID, its name or its scope, and by no part of them: the candidates are listed', async () => {
  const vendor = await CliVendor.join(app);
  const soil = await addModule(vendor, 'Soil moisture', 'soilMoisture');
  const rain = await addModule(vendor, 'Soil and rain', 'rainGauge');
  const twin = await addModule(vendor, 'Soil moisture', 'soilMoisture2');
  const shown = async (name: string) => {
    const { exitCode, stdout, stderr } = await vendor.run('modules', 'show', name, '--json');
    return exitCode === 0 ? (JSON.parse(stdout) as { id: string }).id : stderr;
  };
  for (const name of [soil, 'soilMoisture', 'SOILmoisture']) expect(await shown(name), name).toBe(soil);
  expect(await shown('soil AND rain')).toBe(rain);
  const lines = [`${soil}  Soil moisture  soilMoisture`, `${twin}  Soil moisture  soilMoisture2`];
  const part = await shown('moisture');
  expect(part).toContain('No module has the name "moisture". Candidates:');
  const several = await shown('soil moisture');
  expect(several).toContain('"soil moisture" is the name of 2 modules. Use the ID. Candidates:');
  for (const line of lines) {
    expect(part).toContain(`\n  ${line}`);
    expect(several).toContain(`\n  ${line}`);
  }
  expect(await shown('hail')).toContain(
    'No module has the name "hail". To list them: modulectl modules list',
  );
});

test('keys and webhooks are named in every command that takes one, and the module before them too', async () => {
  const vendor = await CliVendor.join(app);
  await addModule(vendor, 'Hail', 'hail');
  await vendor.run('keys', 'create', 'hail', '--name', 'Advice server');
  const rotated = await vendor.run('keys', 'rotate', 'hail', 'advice server');
  expect([rotated.exitCode, rotated.stdout]).toEqual([0, expect.stringMatching(/^mmk_/)]);
  // Two keys of one client are one candidate.
  expect((await vendor.run('keys', 'revoke', 'hail', 'Advice server')).exitCode).toBe(0);
  const url = 'https://hooks.example.com/hail';
  await vendor.run('webhooks', 'create', 'hail', url, '--description', 'Production');
  expect((await vendor.run('webhooks', 'pause', 'hail', 'production')).stderr).toContain('is paused');
  expect((await vendor.run('webhooks', 'delete', 'hail', url)).exitCode).toBe(0);
  const none = await vendor.run('webhooks', 'delete', 'hail', url);
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('No webhook has the name')]);
});

test('a key that is older than a page of others is listed and named', async () => {
  const vendor = await CliVendor.join(app);
  const moduleId = await addModule(vendor, 'Frost', 'frost');
  await vendor.run('keys', 'create', moduleId, '--name', 'sensors');
  await app.api.database.raw(
    `insert into api_keys (id, client_id, organization_id, module_id, client_name, secret_sha256, secret_start, expires_at)
     select gen_random_uuid(), gen_random_uuid(), organization_id, module_id, 'advice', sha256(number::text::bytea), '', expires_at
     from api_keys, generate_series(1, 200) as number where module_id = ?`,
    moduleId,
  );
  const listed = JSON.parse((await vendor.run('keys', 'list', moduleId, '--json')).stdout) as unknown[];
  expect(listed).toHaveLength(201);
  expect(await vendor.run('keys', 'revoke', moduleId, 'sensors')).toMatchObject({ exitCode: 0 });
});

test("a command that changed something links the portal's page that shows it; one that changed nothing links none", async () => {
  const vendor = await CliVendor.join(app);
  const file = await vendor.writePackage();
  const imported = await vendor.run('import', file);
  const moduleId = /module ([\da-f-]{36})/.exec(imported.stdout)?.[1] ?? '';
  const page = (rest: string) => `See ${app.url}/portal/${vendor.organization.id}/modules${rest}\n`;
  expect(imported.stderr).toContain(page(`/${moduleId}`));
  const linked = async (...args: string[]) => (await vendor.run(...args)).stderr;
  expect(await linked('keys', 'create', moduleId, '--name', 'one')).toContain(page(`/${moduleId}/dev`));
  expect(await linked('keys', 'revoke', moduleId, 'one')).toContain(page(`/${moduleId}/dev`));
  expect(await linked('release', moduleId, '1', '--json')).toContain(page(`/${moduleId}/releases`));
  expect(await linked('withdraw', moduleId, '--reason', 'old')).toContain(page(`/${moduleId}`));
  for (const args of [
    ['modules', 'list'],
    ['keys', 'list', moduleId],
    ['modules', 'show', moduleId],
  ])
    expect(await linked(...args)).not.toContain('See ');
  expect(await linked('modules', 'delete', moduleId, '--yes')).toContain(page(''));
});

test('an organization is named by its ID or its name, at the sign-in too; of another one the candidates are listed', async () => {
  const signedIn = await startDemonstrationApp();
  const scratch = path.join(inject('scratch'), `named-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  const run = (...args: string[]) => runHere(args, { scratch });
  const { id, name } = DEMONSTRATION.vendor;
  await loginAs('vendor-admin', ['--server', signedIn.url, '--org', name.toUpperCase()], { scratch });
  const stored = await readFile(path.join(scratch, 'config/modulectl/sign-ins.json'), 'utf8');
  expect(stored).toContain(id);
  const byId = await run('modules', 'list', '--org', id, '--json');
  expect(byId.exitCode, byId.stderr).toBe(0);
  expect(await run('modules', 'list', '--org', name, '--json')).toEqual(byId);
  expect(await run('modules', 'list', '--json')).toEqual(byId);
  const unknown = await run('modules', 'list', '--org', name.slice(0, 3));
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining(`\n  ${id}  ${name}`)]);
  const mistyped = await loginAs('vendor-admin', ['--server', signedIn.url, '--org', 'mistyped'], {
    scratch,
  });
  expect([mistyped.exitCode, mistyped.stderr]).toEqual([2, expect.stringContaining('"mistyped"')]);
  expect(await run('modules', 'list', '--json')).toEqual(byId);
  await signedIn.stop();
});

test('events takes the server of the sign-in, and with it the name of a module', async () => {
  const signedIn = await startDemonstrationApp();
  const scratch = path.join(inject('scratch'), `events-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  await loginAs('vendor-admin', ['--server', signedIn.url, '--org', DEMONSTRATION.vendor.id], { scratch });
  const run = (...args: string[]) => runHere(args, { scratch });
  const folder = path.join(scratch, 'soil');
  await run('init', folder);
  const { stdout, stderr } = await run('import', folder, '--json');
  expect(stdout, stderr).toContain('moduleId');
  const { moduleId } = JSON.parse(stdout) as { moduleId: string };
  const key = (await run('keys', 'create', moduleId)).stdout.trim();
  const events = (module: string) =>
    runHere(['events', '--module', module, '--once', '--cursor', 'oldest'], {
      ...{ scratch, variables: { MODULECTL_KEY: key } },
    });
  const listed = JSON.parse((await run('modules', 'list', '--json')).stdout) as { moduleName: string }[];
  const byId = await events(moduleId);
  expect([byId.exitCode, byId.stderr]).toEqual([0, '']);
  expect(await events(listed[0]?.moduleName ?? '')).toEqual(byId);
  await signedIn.stop();
});
