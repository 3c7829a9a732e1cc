import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../shared/db/database.ts';
import { ImportModel } from '../../shared/db/imports/models.ts';
import { writeRevisions } from '../../shared/db/modules/write-revision.ts';
import { importModule } from '../../worker/import/import-module.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { sweepImports } from '../../worker/maintenance/sweep-imports.ts';
import { failImport } from '../support/fail-import.ts';
import { importGroup } from '../../worker/import/import-group.ts';
import { acceptAtOnce } from '../support/accept-at-once.ts';
import { expectEndedOnce } from '../support/ended-once.ts';
import { FIRST_START, contextOf, runImport, storeGroup } from '../support/import-actors.ts';
import { openAnswerLosingProxy, type AnswerLosingProxy } from '../support/lost-answers.ts';
import { samplePackage } from '../support/sample-package.ts';
import { WritesAtOnce } from '../support/write-at-once.ts';
import { StepGate } from '../support/step-gate.ts';
import {
  cloneDatabase,
  overTcp,
  startTestApp,
  type TestApp,
  type TestOrganization,
} from '../support/test-app.ts';

interface Setting {
  readonly app: TestApp;
  readonly vendor: TestOrganization;
  readonly proxy: AnswerLosingProxy;
  readonly zip: Buffer;
}

/** A service without a worker whose connections to the database can lose an answer. */
async function setUp(): Promise<Setting> {
  const url = overTcp(await cloneDatabase());
  const proxy = await openAnswerLosingProxy(url);
  const database = { DATABASE_URL: proxy.through(url), DATABASE_LISTEN_URL: url };
  const app = await startTestApp({ worker: false, settings: database });
  onTestFinished(() => app.stop());
  return { app, vendor: await app.organization(), proxy, zip: samplePackage(app.api.catalogue) };
}

const rowsOf = ({ app, vendor }: Setting) =>
  ImportModel.query(app.api.database).where({ organizationId: vendor.id });

async function readRow(setting: Setting): Promise<ImportModel> {
  const [row] = await rowsOf(setting);
  if (row === undefined) throw new Error('the import has no row');
  return row;
}

/** A worker on a connection of its own. */
function workerOf({ app }: Setting) {
  const database = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 4 });
  onTestFinished(() => database.destroy());
  return contextOf(app, { database, gate: new StepGate(0) });
}

test.each([
  ['with a key', { 'Idempotency-Key': '"once"' }],
  ['without a key', {}],
])(
  'an import whose row was committed keeps its upload when the answer to its one statement is lost, and runs: %s',
  async (_what, headers) => {
    const setting = await setUp();
    const { app, vendor, proxy, zip } = setting;
    const options = { headers: { Prefer: 'respond-async', ...headers } };
    proxy.loseNext('insert into imports');
    const first = await app.importPackage(vendor, zip, options);
    expect([first.status, proxy.lost], first.text).toEqual([503, 1]);
    const row = await readRow(setting);
    await collectGarbage(app.api, 0);
    expect((await app.api.storage.read(row.archiveKey ?? '', 0, zip.length)).equals(zip)).toBe(true);
    if ('Idempotency-Key' in headers) {
      const again = await app.importPackage(vendor, zip, options);
      expect([again.status, again.body.importId], again.text).toEqual([202, row.id]);
      expect(await rowsOf(setting).resultSize()).toBe(1);
    }
    expect(await sweepImports(workerOf(setting), 0)).toBe(1);
    expect(await app.api.queue.jobState({ importId: row.id, retries: 0 })).toBe('waiting');
    expect(await runImport(workerOf(setting), row.id)).toBe(true);
    expect(await readRow(setting)).toMatchObject({ status: 'succeeded', revision: 1 });
  },
);

const BATCH = ['one', 'two', 'three'] as const;

/** Runs imports by the jobs of their own that each of them has. */
async function runJobs(setting: Setting, importIds: readonly string[]): Promise<void> {
  for (const importId of importIds) {
    expect(await setting.app.api.queue.jobState({ importId, retries: 0 })).toBe('waiting');
    expect(await runImport(workerOf(setting), importId, { attempts: 1 })).toBe(true);
  }
}

test('uploads written together keep theirs when the one answer is lost: repetitions find them, and the sweep has each run', async () => {
  const setting = await setUp();
  const { app, vendor, proxy } = setting;
  acceptAtOnce(app, BATCH.length);
  const uploads = BATCH.map((name) => ({
    zip: samplePackage(app.api.catalogue, { files: { 'PackageArtifact/build/index.html': name } }),
    options: { headers: { Prefer: 'respond-async', 'Idempotency-Key': `"${name}"` } },
  }));
  const send = () => Promise.all(uploads.map(({ zip, options }) => app.importPackage(vendor, zip, options)));
  proxy.loseNext('insert into imports');
  const first = await send();
  expect([first.map(({ status }) => status), proxy.lost]).toEqual([[503, 503, 503], 1]);
  const written = await rowsOf(setting);
  expect(written.length).toBe(BATCH.length);
  await collectGarbage(app.api, 0);
  const again = await send();
  expect(again.map(({ status }) => status)).toEqual([202, 202, 202]);
  const importIds = again.map(({ body }) => String(body.importId));
  expect(importIds.toSorted()).toEqual(written.map(({ id }) => id).toSorted());
  expect(await rowsOf(setting).resultSize()).toBe(BATCH.length);
  expect(await sweepImports(workerOf(setting), 0)).toBe(BATCH.length);
  await runJobs(setting, importIds);
  await expectEndedOnce(app, importIds);
});

test('attempts started together whose one answer is lost do not run; each import goes on in a job of its own', async () => {
  const setting = await setUp();
  const { app, vendor, proxy } = setting;
  const group = await storeGroup(app, vendor, BATCH.length);
  proxy.loseNext("set status = 'running'");
  await importGroup(workerOf(setting), group, FIRST_START);
  expect(proxy.lost).toBe(1);
  expect((await rowsOf(setting)).map(({ status }) => status)).toEqual(['running', 'running', 'running']);
  await runJobs(setting, group.importIds);
  await expectEndedOnce(app, group.importIds);
});

test('new modules written together stay when the one answer is lost, and no job fails', async () => {
  const setting = await setUp();
  const { app, vendor, proxy } = setting;
  const { importIds } = await storeGroup(app, vendor, BATCH.length);
  const context = workerOf(setting);
  const newModules = new WritesAtOnce(BATCH.length, async (writes) =>
    writeRevisions(context.database, writes),
  );
  proxy.loseNext('insert into module_revisions');
  const runs = importIds.map((importId) =>
    importModule({ ...context, newModules }, { importId, retries: 0 }),
  );
  await Promise.all(runs);
  expect(proxy.lost).toBe(1);
  await expectEndedOnce(app, importIds);
});

/** An import that waits. */
async function queueImport({ app, vendor, zip }: Setting, query = ''): Promise<string> {
  const { body } = await app.importPackage(vendor, zip, { query, headers: { Prefer: 'respond-async' } });
  return body.importId as string;
}

test.each([
  ['a revision', '', 'insert into module_revisions', true],
  ['a revision, of the last attempt', '', 'insert into module_revisions', false],
  ['a validation', '?validateOnly=true', 'set status = given.status', true],
  ['a validation, of the last attempt', '?validateOnly=true', 'set status = given.status', false],
])(
  'the end of an import that was committed stays when its answer is lost, and the job does not fail: %s',
  async (_what, query, text, hasMoreAttempts) => {
    const setting = await setUp();
    const { app, proxy } = setting;
    const importId = await queueImport(setting, query);
    proxy.loseNext(text);
    expect(await runImport(workerOf(setting), importId, { attempts: hasMoreAttempts ? 2 : 1 })).toBe(true);
    expect(proxy.lost).toBe(1);
    expect(await readRow(setting)).toMatchObject({ status: 'succeeded', revision: 1, failedAt: null });
    const [count] = await app.api.database('module_revisions').count<{ count: number }[]>('* as count');
    expect(count?.count).toBe(query === '' ? 1 : 0);
  },
);

test('a cancellation whose answer was lost can be repeated', async () => {
  const setting = await setUp();
  const { app, vendor, proxy } = setting;
  const importId = await queueImport(setting);
  proxy.loseNext("set status = 'cancelled'");
  const cancel = () => app.as(vendor).post(`/imports/${importId}/cancel`);
  expect([(await cancel()).status, proxy.lost]).toEqual([503, 1]);
  const again = await cancel();
  expect([again.status, again.body.status], again.text).toEqual([200, 'cancelled']);
});

test("an operator's retry whose answer was lost can be repeated, and makes one job", async () => {
  const setting = await setUp();
  const { app, proxy } = setting;
  const importId = await queueImport(setting);
  await failImport(app.api.database, importId);
  const retry = () => app.as('operator').post(`/operations/imports/${importId}/retry`);
  proxy.loseNext('retries + 1');
  expect([(await retry()).status, proxy.lost]).toEqual([503, 1]);
  const again = await retry();
  expect([again.status, again.body.status], again.text).toEqual([202, 'queued']);
  expect((await readRow(setting)).retries).toBe(1);
  await sweepImports(workerOf(setting), 0);
  expect(await app.api.queue.jobState({ importId, retries: 1 })).toBe('waiting');
  expect(await runImport(workerOf(setting), importId, { retries: 1 })).toBe(true);
  expect((await readRow(setting)).status).toBe('succeeded');
});

test('a module whose deletion was committed is gone when the answer is lost, and its ID stays its owner’s', async () => {
  const setting = await setUp();
  const { app, vendor, proxy } = setting;
  const importId = await queueImport(setting);
  await runImport(workerOf(setting), importId);
  const { moduleId } = await readRow(setting);
  // Otherwise it may run, and commit, during the deletion.
  await app.api.changes.sequence();
  proxy.loseNext('commit;');
  const deletion = () => app.as(vendor).delete(`/modules/${moduleId ?? ''}`);
  expect([(await deletion()).status, proxy.lost]).toEqual([503, 1]);
  expect((await deletion()).status).toBe(404);
  await collectGarbage(app.api, 0);
  const revision = await app.api
    .database('module_revisions')
    .where({ moduleId })
    .first<{ archiveKey: string }>();
  expect(await app.api.storage.read(revision.archiveKey, 0, setting.zip.length)).toEqual(setting.zip);
});
