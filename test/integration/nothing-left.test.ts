import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { archiveKeyOf, ARCHIVES, archivesOf } from '../../shared/db/imports/archives.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { sweepImports } from '../../worker/maintenance/sweep-imports.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp({ settings: { UPLOAD_RETENTION_DAYS: '0' } });
  vendor = await app.organization();
});

afterAll(() => app.stop());

const TABLES = ['modules', 'module_revisions', 'module_files', 'idempotency_keys'];

async function rowCounts(): Promise<Record<string, number>> {
  const counts = TABLES.map(async (table) => {
    const [row] = await app.api.database(table).count<{ count: number }[]>('* as count');
    return [table, Number(row?.count)] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

async function objectKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of app.api.storage.list(ARCHIVES)) keys.push(key);
  return keys.toSorted();
}

const zip = (options = {}) => samplePackage(app.api.catalogue, options);

test('a rejected import writes only its own row, and leaves no object after a collection', async () => {
  await collectGarbage(app.api, 0);
  const before = { rows: await rowCounts(), objects: await objectKeys() };
  const scope = `taken-${randomUUID()}`;
  const good = await app.importPackage(vendor, zip({ descriptor: { scope } }));
  expect(good.status, good.text).toBe(200);
  await app.as(vendor).get(`/modules/${String(good.body.moduleId)}`);
  await collectGarbage(app.api, 0);
  const stored = { rows: await rowCounts(), objects: await objectKeys() };
  const refused = [
    zip({ files: { 'stray.txt': 'x' } }),
    zip({ descriptor: { scope } }),
    zip({ descriptor: { schema: '9' } }),
    Buffer.from('no archive'),
  ];
  for (const bytes of refused) expect((await app.importPackage(vendor, bytes)).status).toBe(400);
  await collectGarbage(app.api, 0);
  expect({ rows: await rowCounts(), objects: await objectKeys() }).toEqual(stored);
  expect(stored.objects.length).toBeGreaterThan(before.objects.length);
});

test('a package that is rejected by the package rules writes no row even before a collection', async () => {
  const before = await rowCounts();
  const answer = await app.importPackage(vendor, zip({ files: { 'ModuleLogo/logo.png': 'no picture' } }));
  expect(answer.status).toBe(400);
  expect(await rowCounts()).toEqual(before);
});

test('an import is one object; an unchanged one keeps the older, and the collection removes its own', async () => {
  await collectGarbage(app.api, 0);
  const before = await objectKeys();
  const { body } = await app.importPackage(vendor, zip());
  const moduleId = body.moduleId as string;
  const added = (await objectKeys()).filter((key) => !before.includes(key));
  expect(added).toHaveLength(1);
  const again = await app.importPackage(vendor, zip({ descriptor: { moduleId } }));
  expect(again.body).toMatchObject({ outcome: 'unchanged' });
  await collectGarbage(app.api, 0);
  expect(await objectKeys()).toEqual([...before, ...added].toSorted());
});

test('the archive of an older revision is kept beside that of the newer one', async () => {
  await collectGarbage(app.api, 0);
  const before = await objectKeys();
  const { body } = await app.importPackage(vendor, zip());
  const files = { 'PackageArtifact/build/index.html': randomUUID() };
  await app.importPackage(vendor, zip({ descriptor: { moduleId: body.moduleId as string }, files }));
  await collectGarbage(app.api, 0);
  expect((await objectKeys()).filter((key) => !before.includes(key))).toHaveLength(2);
});

test('an upload without a row is collected', async () => {
  const key = archiveKeyOf(app.api.deploymentId, randomUUID());
  await app.api.storage.put(key, Buffer.from('stray'));
  await collectGarbage(app.api, 0);
  expect(await objectKeys()).not.toContain(key);
});

// An S3 server refuses requests with such a clock.
test.runIf(inject('s3Endpoint') === null)(
  'a worker whose clock is a day ahead does not collect an upload in progress',
  async () => {
    const key = archiveKeyOf(app.api.deploymentId, randomUUID());
    await app.api.storage.put(key, Buffer.from('on its way'));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 26 * 3_600_000 });
    await collectGarbage(app.api).finally(() => vi.useRealTimers());
    expect(await objectKeys()).toContain(key);
  },
);

test('an object that is not an archive of the service is not collected', async () => {
  const foreign = `${archivesOf(app.api.deploymentId)}somebody-elses`;
  await app.api.storage.put(foreign, Buffer.from('x'));
  await collectGarbage(app.api, 0);
  expect(await objectKeys()).toContain(foreign);
});

test('after a collection every file of every revision is readable', async () => {
  const { body } = await app.importPackage(vendor, zip());
  await collectGarbage(app.api, 0);
  const answer = await app.as(vendor).get(`/modules/${String(body.moduleId)}/files/ModuleToS/terms.md`);
  expect(answer.text).toBe('# Terms\n');
});

test('imports during a collection lose nothing', async () => {
  const state = { isDone: false };
  const collecting = (async () => {
    // A grace period of one second, far more than the time between an upload and its row.
    while (!state.isDone) await collectGarbage(app.api, 1_000);
  })();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      app.importPackage(vendor, zip({ files: { 'ModuleToS/terms.md': `terms ${index % 3}` } })),
    ),
  );
  state.isDone = true;
  await collecting;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const { body } of answers) {
    const file = await app.as(vendor).get(`/modules/${String(body.moduleId)}/files/ModuleToS/terms.md`);
    expect(file.text).toMatch(/^terms \d$/);
  }
});

test('the sweep requeues an import whose job the queue lost', async () => {
  const idle = await startTestApp({ worker: false });
  const organization = await idle.organization();
  const { body } = await idle.importPackage(organization, zip(), { headers: { Prefer: 'respond-async' } });
  await (await idle.api.queue.lanes.regular.getJob(body.importId as string))?.remove();
  const worker = await idle.startWorker();
  expect(await sweepImports(worker.context, 0)).toBe(1);
  const read = async () =>
    (
      await idle.fetch(`/api/v8.0/${organization.id}/imports/${String(body.importId)}`, {
        headers: { Authorization: organization.admin },
      })
    ).body.status as string;
  await expect.poll(read).toBe('succeeded');
  await idle.stop();
});
