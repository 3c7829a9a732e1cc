import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../../support/test-app.ts';

const SOMEBODY = '5f1b2c3d-0000-4000-8000-0000000000aa';

let app: TestApp;
let vendor: CliVendor;
let farmer: TestOrganization;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  vendor = await CliVendor.join(app);
  farmer = await app.organization({ kind: 'farmer', tenantId: vendor.organization.tenantId });
  moduleId = await vendor.importedModule();
});

/** Imports another revision. */
async function importNext(...flags: string[]) {
  const file = await vendor.writePackage({ descriptor: { moduleId, component: randomUUID() } });
  return vendor.run('import', file, ...flags);
}

/** The output of a list, without its times. */
async function shown(): Promise<string[]> {
  const { exitCode, stdout } = await vendor.run('modules', 'releases', moduleId);
  expect(exitCode).toBe(0);
  const lines = stdout.trimEnd().split('\n').slice(1);
  return lines.map((line) =>
    line.slice(0, -'  2027-11-20 09:30:00'.length).trimEnd().replaceAll(/ {2,}/g, ' | '),
  );
}

async function seenByFarmer(): Promise<unknown> {
  return (await app.as(farmer).get(`/availableModules/${moduleId}`)).body.revision;
}

describe('release', () => {
  test('of a module with placeholders is not advised by the import: they are replaced first', async () => {
    const folder = path.join(vendor.scratch, 'with-placeholders');
    await vendor.run('init', folder);
    const imported = await vendor.run('import', folder);
    expect(imported.stdout).toContain(
      '  staged    to release the module, replace the placeholders, and import it again\n',
    );
  });

  test('shows a staged revision to one farmer, a ring and everyone', async () => {
    const imported = await importNext('--staged');
    expect(imported.stdout).toContain(`  staged    to release it: modulectl release ${moduleId} 2\n`);
    expect(await shown()).toEqual(['2 | staged | nobody', '1 | current | everyone']);

    const previewed = await vendor.run('release', moduleId, '--preview', farmer.id);
    expect([previewed.exitCode, previewed.stderr]).toEqual([0, 'The previewers of revision 2 are set.\n']);
    expect(await shown()).toEqual(['2 | preview | 1 named organization', '1 | current | everyone']);
    expect(await seenByFarmer()).toBe(2);
    await vendor.run('release', moduleId, '2', '--end-preview');
    expect(await seenByFarmer()).toBe(1);

    const ring = await vendor.run(
      'release',
      moduleId,
      '2',
      '--percent',
      '20',
      '--to',
      farmer.id,
      '--to',
      randomUUID(),
    );
    expect([ring.exitCode, ring.stderr]).toEqual([0, 'The ring sees revision 2.\n']);
    expect(await shown()).toEqual([
      '2 | ring | 20 % of all and 2 named organizations',
      '1 | current | everyone else',
    ]);
    expect(await seenByFarmer()).toBe(2);

    const released = await vendor.run('release', moduleId);
    expect(released.stderr).toBe('Everyone sees revision 2.\n');
    expect(released.stdout).toMatch(
      /^revision {2}state {5}seen by {3}created \(UTC\)\n2 {9}current {3}everyone/,
    );
    expect(await shown()).toEqual(['2 | current | everyone', '1 | released | nobody']);
  });

  test('without a number is of the newest revision that was not deleted', async () => {
    await importNext('--staged');
    expect((await app.as(vendor.organization).delete(`/modules/${moduleId}/revisions/2`)).status).toBe(204);
    const released = await vendor.run('release', moduleId);
    expect([released.exitCode, released.stderr]).toEqual([0, 'Everyone sees revision 1.\n']);
  });

  test('outputs with --json what the server returns', async () => {
    await importNext('--staged');
    const { stdout } = await vendor.run('release', moduleId, '2', '--percent', '20', '--json');
    const answer = await app.as(vendor.organization).get(`/modules/${moduleId}/releases`);
    expect(JSON.parse(stdout)).toEqual(answer.body);
    expect(answer.body.ring).toEqual({ revision: 2, organizationIds: [], percent: 20 });
  });

  test.for([
    [['two'], /'two' is invalid.*whole number/],
    [['--percent', 'most'], /'most' is invalid.*whole number/],
    [['--percent', '101'], /^modulectl: .*\n {2}\/percent /],
    [['--preview', SOMEBODY, '--percent', '5'], /Use one/],
    [['--preview', SOMEBODY], /Revision 1 was released: it has no previewers/],
    [['7'], /no such module or revision/],
  ] as const)('%j changes nothing and exits with 2', async ([args, message]) => {
    const { exitCode, stdout, stderr } = await vendor.run('release', moduleId, ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(await shown()).toEqual(['1 | current | everyone']);
  });
});

describe('rollback', () => {
  test('gives everyone the revision that was released before, or the one that is named', async () => {
    await importNext();
    await importNext();
    const back = await vendor.run('rollback', moduleId);
    expect([back.exitCode, back.stderr]).toEqual([0, 'Everyone sees revision 2 again.\n']);
    expect(await seenByFarmer()).toBe(2);
    expect((await vendor.run('rollback', moduleId, '1', '--json')).exitCode).toBe(0);
    expect(await shown()).toEqual([
      '3 | released | nobody',
      '2 | released | nobody',
      '1 | current | everyone',
    ]);
  });

  test('passes over a revision that was never released', async () => {
    await importNext('--staged');
    await importNext();
    await vendor.run('rollback', moduleId);
    expect(await seenByFarmer()).toBe(1);
  });

  test.for([
    { audience: 'a ring', flags: ['--percent', '5'] },
    { audience: 'everyone', flags: [] },
  ])('passes over a revision that $audience had and that was rolled back', async ({ flags }) => {
    await importNext('--staged');
    await vendor.run('release', moduleId, ...flags);
    await vendor.run('rollback', moduleId);
    await importNext();
    expect(await seenByFarmer()).toBe(3);
    expect((await vendor.run('rollback', moduleId)).stderr).toBe('Everyone sees revision 1 again.\n');
  });

  test('ends a ring: everyone gets the current revision', async () => {
    await importNext('--staged');
    await vendor.run('release', moduleId, '--percent', '100');
    expect(await seenByFarmer()).toBe(2);
    expect((await vendor.run('rollback', moduleId)).stderr).toBe('Everyone sees revision 1 again.\n');
    expect(await shown()).toEqual(['2 | released | nobody', '1 | current | everyone']);
  });

  test('releases no newer revision, and says so where there is no older one', async () => {
    const none = await vendor.run('rollback', moduleId);
    expect([none.exitCode, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('No older revision was ever released to everyone.');
    await importNext('--staged');
    const newer = await vendor.run('rollback', moduleId, '2');
    expect([newer.exitCode, newer.stderr]).toEqual([
      2,
      'modulectl: Revision 2 is not older than what farmers see. To release it, run: modulectl release\n',
    ]);
  });
});

test('withdraw ends new installations with a reason that farmers read, and --end offers the module again', async () => {
  const { exitCode } = await vendor.run('withdraw', moduleId, '--reason', 'The sensors are no longer made.');
  expect(exitCode).toBe(0);
  const refused = await app.as(farmer).put(`/installations/${moduleId}`);
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('no longer made')]);
  const listed = await vendor.run('modules', 'releases', moduleId);
  expect(listed.stderr).toBe('Withdrawn: The sensors are no longer made.\n');
  for (const flags of [[], ['--end', '--reason', 'Both']])
    expect(await vendor.run('withdraw', moduleId, ...flags)).toMatchObject({
      exitCode: 2,
      stderr: 'modulectl: Use either --reason or --end.\n',
    });
  expect((await vendor.run('withdraw', moduleId, '--end')).exitCode).toBe(0);
  expect((await app.as(farmer).put(`/installations/${moduleId}`)).status).toBe(201);
});

test('modules deprecate names a successor to farmers, and --end takes the advice back', async () => {
  const successor = await vendor.importedModule();
  const advice = ['--message', 'Use the new one.', '--successor', successor];
  expect((await vendor.run('modules', 'deprecate', moduleId, ...advice)).exitCode).toBe(0);
  const read = async (): Promise<unknown> => (await app.as(farmer).get(`/availableModules/${moduleId}`)).body;
  expect(await read()).toMatchObject({
    deprecationMessage: 'Use the new one.',
    successorModuleId: successor,
  });
  const unknown = ['--message', 'Use the new one.', '--successor', randomUUID()];
  const refused = await vendor.run('modules', 'deprecate', moduleId, ...unknown);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('/successorModuleId')]);
  await vendor.run('modules', 'deprecate', moduleId, '--end');
  expect(await read()).toMatchObject({ deprecationMessage: null, successorModuleId: null });
});
