import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { queueImport } from '../../api/imports/accept-import.ts';
import { ImportGroups, type NewUpload } from '../../api/imports/import-groups.ts';
import { cancelImport, findImport } from '../../shared/db/imports/imports.ts';
import type { ImportGroup } from '../../shared/db/imports/attempts.ts';
import { importGroup } from '../../worker/import/import-group.ts';
import { sweepImports } from '../../worker/maintenance/sweep-imports.ts';
import type { WorkerContext } from '../../worker/worker-context.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import {
  FIRST_START,
  LATER_START,
  contextOf,
  openActor,
  startsOn,
  storeGroup,
  storeImport,
  storeUpload,
} from '../support/import-actors.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ worker: false });
const testOfWorkers = serviceTest();

const SIXTEEN = Array.from({ length: 16 }, (_, index) => index);
/** The one of sixteen that fails. */
const BAD = 5;

async function newUpload(app: TestApp, vendor: TestOrganization, changes = {}): Promise<NewUpload> {
  const { row } = await storeUpload(app, vendor);
  return { row: { ...row, ...changes }, priority: 0 };
}

/** Accepts uploads that are received at the same time. */
async function acceptTogether(app: TestApp, vendor: TestOrganization, uploads: readonly NewUpload[]) {
  const groups = new ImportGroups(app.api.database);
  const received = uploads.map((upload) => ({ upload, receiving: groups.receive(vendor.id) }));
  return Promise.allSettled(received.map(({ upload, receiving }) => receiving.accept(upload)));
}

const groupOf = async (app: TestApp, { row }: NewUpload) =>
  (await findImport(app.api.database, null, row.id))?.groupId ?? null;

const jobOf = async (app: TestApp, importId: string) => app.api.queue.jobState({ importId, retries: 0 });

/** The statuses of the imports of a group, in its order. */
async function statusesOf(app: TestApp, { importIds }: ImportGroup) {
  const rows = await Promise.all(importIds.map((id) => findImport(app.api.database, null, id)));
  return rows.map((row) => row?.status);
}

/** A worker's context in which the archives of these imports cannot be read. */
function withUnreadable(context: WorkerContext, importIds: readonly string[]): WorkerContext {
  const { storage } = context;
  return {
    ...context,
    storage: {
      ...storage,
      check: () => storage.check(),
      read: (key, offset, length) =>
        importIds.some((id) => key.includes(id))
          ? Promise.reject(new Error('the storage cannot be reached'))
          : storage.read(key, offset, length),
    },
  };
}

test('small uploads of an organization that end together have one job, which one request queues', async ({
  app,
  vendor,
}) => {
  const uploads = await Promise.all([1, 2, 3].map(() => newUpload(app, vendor)));
  const results = await acceptTogether(app, vendor, uploads);
  const groupId = await groupOf(app, uploads[0]!);
  expect(groupId).not.toBeNull();
  const job = { groupId, importIds: uploads.map(({ row }) => row.id) };
  expect(results).toEqual([
    { status: 'fulfilled', value: { kind: 'created', queued: { job, priority: 0 } } },
    { status: 'fulfilled', value: { kind: 'created', queued: null } },
    { status: 'fulfilled', value: { kind: 'created', queued: null } },
  ]);
});

test('an upload of which nobody else is being received has a job of its own', async ({ app, vendor }) => {
  const upload = await newUpload(app, vendor);
  const [result] = await acceptTogether(app, vendor, [upload]);
  const job = { importId: upload.row.id, retries: 0 };
  expect(result).toMatchObject({ value: { kind: 'created', queued: { job } } });
  expect(await groupOf(app, upload)).toBeNull();
});

test('an upload does not wait for one that is received for longer', async ({ app, vendor }) => {
  const groups = new ImportGroups(app.api.database);
  const slow = groups.receive(vendor.id);
  const upload = await newUpload(app, vendor);
  expect(await groups.receive(vendor.id).accept(upload)).toMatchObject({ kind: 'created' });
  slow.end();
});

test.for([
  ['it lacks a value', { tenantId: null }],
  ['its organization is unknown', { organizationId: randomUUID() }],
  ['its text cannot be stored', { fileName: 'a\u0000b.zip' }],
] as const)(
  'of sixteen uploads one that the database refuses fails alone, and the others have jobs of their own: %s',
  async ([, changes], { app, vendor }) => {
    const uploads = await Promise.all(
      SIXTEEN.map((each) => newUpload(app, vendor, each === BAD ? changes : {})),
    );
    const results = await acceptTogether(app, vendor, uploads);
    expect(results.map(({ status }) => status)).toEqual(SIXTEEN.map(() => 'fulfilled').with(BAD, 'rejected'));
    const importIds = uploads.map(({ row }) => row.id).toSpliced(BAD, 1);
    const jobs = importIds.map((importId) => ({ importId, retries: 0 }));
    expect(results.toSpliced(BAD, 1)).toMatchObject(jobs.map((job) => ({ value: { queued: { job } } })));
    const accepted = await app.api
      .database('audit_log')
      .where({ action: 'import.accepted' })
      .whereIn(
        'targetId',
        uploads.map(({ row }) => row.id),
      )
      .select<{ targetId: string }[]>('targetId');
    expect(accepted.map(({ targetId }) => targetId).toSorted()).toEqual(importIds.toSorted());
  },
);

test.for([
  ['its import is unknown', () => Promise.resolve(randomUUID()), { status: 'fulfilled', value: null }],
  [
    'its import is cancelled',
    async (app: TestApp, vendor: TestOrganization) => {
      const { importId } = await storeImport(app, vendor);
      await cancelImport(app.api.database, vendor.id, importId, FIXTURE_ACTOR);
      return importId;
    },
    { status: 'fulfilled', value: null },
  ],
  ['the database refuses it', () => Promise.resolve('no GUID'), { status: 'rejected' }],
] as const)(
  'of sixteen attempts that start together one does not start, and the others do: %s',
  async ([, badId, ended], { app, vendor }) => {
    const { importIds } = await storeGroup(app, vendor, SIXTEEN.length);
    const jobs = importIds.with(BAD, await badId(app, vendor)).map((importId) => ({ importId, retries: 0 }));
    const { starts } = startsOn(app.api.database);
    const runs = jobs.map((job) => ({ ...job, runId: randomUUID() }));
    const started = runs.map(({ importId: id, runId }) => ({
      status: 'fulfilled',
      value: { id, runId, status: 'running' },
    }));
    expect(await Promise.allSettled(runs.map((each) => starts.add(each)))).toMatchObject([
      ...started.slice(0, BAD),
      ended,
      ...started.slice(BAD + 1),
    ]);
  },
);

test('imports of two lanes that end together share no job, and that of a group has the priority of its last', async ({
  app,
  vendor,
}) => {
  const priorities = [0, 1, 0, 3, 2];
  const uploads = await Promise.all(
    priorities.map(async (priority) => ({ ...(await newUpload(app, vendor)), priority })),
  );
  const results = await acceptTogether(app, vendor, uploads);
  for (const each of results)
    if (each.status === 'fulfilled' && each.value.kind === 'created' && each.value.queued !== null)
      await queueImport(app.api, each.value.queued);
  const { regular, bulk } = app.api.queue.lanes;
  const ids = uploads.map(({ row }) => row.id);
  const groupId = (await groupOf(app, uploads[1]!)) ?? '';
  expect(await bulk.getJob(groupId)).toMatchObject({
    data: { importIds: [ids[1], ids[3], ids[4]] },
    opts: { priority: 3 },
  });
  expect(await regular.getJob(groupId)).toBeUndefined();
  for (const importId of [ids[0]!, ids[2]!]) {
    expect(await regular.getJob(importId)).toMatchObject({ data: { importId } });
    expect(await bulk.getJob(importId)).toBeUndefined();
  }
});

test('of two uploads with one idempotency key that end together, the second is a repetition', async ({
  app,
  vendor,
}) => {
  const claim = { key: randomUUID(), fingerprint: Buffer.alloc(32), keepDays: 7 };
  const uploads = [await newUpload(app, vendor, { claim }), await newUpload(app, vendor, { claim })];
  const results = await acceptTogether(app, vendor, uploads);
  const kinds = results.map((each) => (each.status === 'fulfilled' ? each.value.kind : each.status));
  expect(kinds.toSorted()).toEqual(['created', 'repeated']);
});

test('large packages, another lane, and a second package for the same module have jobs of their own', async ({
  app,
  vendor,
}) => {
  const onlyModuleId = randomUUID();
  const uploads = [
    await newUpload(app, vendor, { onlyModuleId }),
    await newUpload(app, vendor, { onlyModuleId }),
    await newUpload(app, vendor, { sizeBytes: 64 * 1024 + 1 }),
    { ...(await newUpload(app, vendor)), priority: 3 },
    await newUpload(app, vendor),
  ];
  await acceptTogether(app, vendor, uploads);
  const groups = await Promise.all(uploads.map((each) => groupOf(app, each)));
  expect(groups.map((each) => each !== null)).toEqual([true, false, false, false, true]);
});

test('a group has at most 16 imports', async ({ app, vendor }) => {
  const uploads = await Promise.all(Array.from({ length: 20 }, () => newUpload(app, vendor)));
  await acceptTogether(app, vendor, uploads);
  const groups = await Promise.all(uploads.map((each) => groupOf(app, each)));
  const sizes = [...new Set(groups)].map((id) => groups.filter((each) => each === id).length);
  expect(sizes).toEqual([16, 4]);
});

test('each import of a group ends by itself; a cancelled one does not run', async ({ app, vendor }) => {
  const group = await storeGroup(app, vendor, 6);
  await cancelImport(app.api.database, vendor.id, group.importIds[2] ?? '', FIXTURE_ACTOR);
  await importGroup(contextOf(app, openActor(app)), group, FIRST_START);
  const succeeded = Array.from({ length: 6 }, () => 'succeeded');
  expect(await statusesOf(app, group)).toEqual(succeeded.with(2, 'cancelled'));
});

test('an import of a group that fails goes on in a job of its own, and the others end', async ({
  app,
  vendor,
}) => {
  const group = await storeGroup(app, vendor, 5);
  const [first = '', second = '', ...others] = group.importIds;
  const context = withUnreadable(contextOf(app, openActor(app)), [second]);
  await importGroup(context, group, FIRST_START);
  expect(await statusesOf(app, { ...group, importIds: [first, ...others] })).toEqual(
    Array.from({ length: 4 }, () => 'succeeded'),
  );
  expect([await jobOf(app, first), await jobOf(app, second)]).toEqual(['unknown', 'waiting']);
});

test('a group that starts again runs none of its imports: each gets a job of its own', async ({
  app,
  vendor,
}) => {
  const group = await storeGroup(app, vendor, 3);
  await importGroup(contextOf(app, openActor(app)), group, LATER_START);
  expect(await statusesOf(app, group)).toEqual(['queued', 'queued', 'queued']);
  const jobs = await Promise.all(group.importIds.map((each) => jobOf(app, each)));
  expect(jobs).toEqual(['waiting', 'waiting', 'waiting']);
});

test('an import of a group of the bulk lane stays in it when it gets a job of its own', async ({
  app,
  vendor,
}) => {
  const group = await storeGroup(app, vendor, 2);
  const run = { ...FIRST_START, priority: 3, mayStart: () => false };
  await importGroup(contextOf(app, openActor(app)), group, run);
  const { bulk } = app.api.queue.lanes;
  const priorities = group.importIds.map(async (id) => (await bulk.getJob(id))?.opts.priority);
  expect(await Promise.all(priorities)).toEqual([3, 3]);
});

test('a worker that stops begins no more imports of a group: each gets a job of its own', async ({
  app,
  vendor,
}) => {
  const group = await storeGroup(app, vendor, 6);
  let asked = 0;
  const run = { ...FIRST_START, mayStart: () => (asked += 1) <= 2 };
  await importGroup(contextOf(app, openActor(app)), group, run);
  const statuses = await statusesOf(app, group);
  expect(statuses.toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'queued'),
    ...['succeeded', 'succeeded'],
  ]);
  const jobs = await Promise.all(group.importIds.map((each) => jobOf(app, each)));
  expect(jobs).toEqual(statuses.map((status) => (status === 'queued' ? 'waiting' : 'unknown')));
});

test('the sweep leaves a group that waits, and recovers each import of a lost one', async ({ app }) => {
  const context = contextOf(app, openActor(app));
  const group = await storeGroup(app, await app.organization(), 3);
  const [ended = '', ...left] = group.importIds;
  await importGroup(context, { ...group, importIds: [ended] }, FIRST_START);
  await app.api.queue.addImport(group);
  await sweepImports(context, 0);
  expect(await Promise.all(left.map((each) => jobOf(app, each)))).toEqual(['unknown', 'unknown']);
  await app.api.queue.lanes.regular.remove(group.groupId);
  await sweepImports(context, 0);
  expect(await Promise.all(left.map((each) => jobOf(app, each)))).toEqual(['waiting', 'waiting']);
  expect(await jobOf(app, ended)).toBe('unknown');
});

testOfWorkers(
  'uploads sent at the same time all end, whatever groups they are in',
  async ({ app, vendor }) => {
    const zips = Array.from({ length: 24 }, () =>
      samplePackage(app.api.catalogue, { files: { 'PackageArtifact/build/index.html': randomUUID() } }),
    );
    const answers = await Promise.all(zips.map((zip) => app.importPackage(vendor, zip)));
    expect(answers.map(({ status }) => status)).toEqual(zips.map(() => 200));
  },
);

test.for(['completed', 'failed'])(
  'the sweep recovers the imports of a group whose job is still recorded as %s',
  async (state, { app }) => {
    const group = await storeGroup(app, await app.organization(), 2);
    const { queue } = app.api;
    const context: WorkerContext = {
      ...contextOf(app, openActor(app)),
      queue: {
        ...queue,
        jobState: async (job) => ('groupId' in job ? Promise.resolve(state) : queue.jobState(job)),
      },
    };
    await sweepImports(context, 0);
    const jobs = await Promise.all(group.importIds.map((each) => jobOf(app, each)));
    expect(jobs).toEqual(['waiting', 'waiting']);
  },
);

test('the sweep asks for the job of a group once, however many imports wait in it', async ({
  app,
  vendor,
}) => {
  const groups = [await storeGroup(app, vendor, 4), await storeGroup(app, vendor, 4)];
  for (const group of groups) await app.api.queue.addImport(group);
  const { queue } = app.api;
  const asked: string[] = [];
  const context: WorkerContext = {
    ...contextOf(app, openActor(app)),
    queue: {
      ...queue,
      async jobState(job) {
        if ('groupId' in job) asked.push(job.groupId);
        return queue.jobState(job);
      },
    },
  };
  await sweepImports(context, 0);
  const times = groups.map(({ groupId }) => asked.filter((each) => each === groupId).length);
  expect(times).toEqual([1, 1]);
});
