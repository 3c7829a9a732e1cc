import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, vi } from 'vitest';
import { poolUse } from '../../shared/db/database.ts';
import type { Connections } from '../../shared/db/connection-sharing.ts';
import { forOwner } from '../../shared/limits/owner.ts';
import { parseMetrics } from '../support/metric-values.ts';
import { samplePackage } from '../support/sample-package.ts';
import { holdLock, holdStructures } from '../support/held-lock.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { importSample } from '../support/import-sample.ts';
import { putFarms, sampleFarm } from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest();
const testOfTwo = serviceTest({ worker: false, settings: { DATABASE_POOL_SIZE: '2' } });

/** Calls of each hostile organization. */
const CALLS = 8;

const MODULE_LOCK = "select pg_advisory_xact_lock(hashtextextended('module ' || $1, 0))";

test.for([
  [1, 20],
  [12, CALLS],
] as const)(
  "writes of %i farmers, %i each, that wait for a row leave other organizations' calls and health answers alone",
  async ([farmers, writes], { app, vendor }) => {
    const organizations = Array.from({ length: farmers }, () => app.organization({ kind: 'farmer' }));
    const hostile = await Promise.all(organizations);
    const other = await app.organization({ kind: 'farmer' });
    for (const each of hostile) await putFarms(app, each, [sampleFarm()]);
    const held = await Promise.all(hostile.map(({ id }) => holdStructures(app, id)));
    const written = hostile.flatMap((each) =>
      Array.from({ length: writes }, () => app.as(each).put('/structures', { farms: [sampleFarm()] })),
    );
    try {
      await expect.poll(() => lockedCalls(app)).toBe(farmers * writes);
      const answers = await Promise.all([
        app.as(vendor).get('/imports'),
        app.importPackage(vendor, samplePackage(app.api.catalogue)),
        app.as(other).put('/structures', { farms: [sampleFarm()] }),
        app.as(other).get('/structures'),
        app.as('operator').get('/organizations'),
        app.fetch('/livez'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      // On a busy machine, one check may time out.
      await expect.poll(async () => (await app.fetch('/readyz')).status).toBe(200);
      // Another call may meet a lock for a moment.
      expect(lockedCalls(app)).toBeGreaterThanOrEqual(farmers * writes);
    } finally {
      await Promise.all(held.map((each) => each.release()));
      await Promise.allSettled(written);
    }
    expect(new Set((await Promise.all(written)).map(({ status }) => status))).toEqual(new Set([200]));
  },
);

test('eight releases of one module of each of three vendors, all behind a lock, leave reads and releases of another alone', async ({
  app,
  vendor,
}) => {
  const moduleId = await importSample(app, vendor);
  const hostile = await Promise.all(Array.from({ length: 3 }, () => app.organization()));
  const modules = await Promise.all(hostile.map((each) => importSample(app, each)));
  const held = await Promise.all(modules.map((moduleId) => holdLock(app, MODULE_LOCK, [moduleId])));
  const released = hostile.flatMap((each, index) =>
    Array.from({ length: CALLS }, () =>
      app.as(each).post(`/modules/${modules[index]}/revisions/1/release`, {}),
    ),
  );
  try {
    await expect.poll(() => lockedCalls(app)).toBe(3 * CALLS);
    const release = app.as(vendor).post(`/modules/${moduleId}/revisions/1/release`, {});
    const answers = await Promise.all([app.as(vendor).get('/modules'), release]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(lockedCalls(app)).toBeGreaterThanOrEqual(3 * CALLS);
  } finally {
    await Promise.all(held.map((each) => each.release()));
    await Promise.allSettled(released);
  }
  expect(new Set((await Promise.all(released)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('three owners whose long statements want all connections leave one to an owner that has none', async ({
  app,
  vendor,
}) => {
  const { client } = app.api.database;
  const { acquireConnection, releaseConnection } = client as Connections;
  const wanted = ['a', 'b', 'c'].flatMap((owner) =>
    Array.from({ length: CALLS }, () => forOwner(owner, () => acquireConnection())),
  );
  try {
    await Promise.all([wanted[0], wanted[CALLS], wanted[2 * CALLS]]);
    expect((await app.as(vendor).get('/modules')).status).toBe(200);
    expect((await app.importPackage(vendor, samplePackage(app.api.catalogue))).status).toBe(200);
    await expect.poll(() => poolUse(app.api.database)).toMatchObject({ used: 9, pending: 3 * CALLS - 9 });
  } finally {
    await Promise.all(wanted.map(async (each) => releaseConnection(await each)));
  }
});

test('a write of structures that meets a lock after its first rows is made again from its beginning', async ({
  app,
}) => {
  const farmer = await app.organization({ kind: 'farmer' });
  const farm = sampleFarm();
  await putFarms(app, farmer, [farm]);
  const rows = 'select from structures where organization_id = $1 for update';
  const held = await holdLock(app, rows, [farmer.id]);
  const added = sampleFarm();
  const written = app.as(farmer).put('/structures', { farms: [{ ...farm, name: 'Renamed' }, added] });
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await held.release();
  const { status, body } = await written;
  expect([status, body.updated]).toEqual([200, 1]);
  const { farms } = (await app.as(farmer).get('/structures')).body;
  const names = farms.map(({ name }: { name: string }) => name);
  expect(names.toSorted()).toEqual(['Renamed', added.name].toSorted());
});

test('health answers and metrics need none of the shared connections', async ({ app }) => {
  const { acquireConnection, releaseConnection } = app.api.database.client as Connections;
  const owners = Array.from({ length: 10 }, (_, index) => `owner ${index}`);
  const taken = await Promise.all(owners.map((owner) => forOwner(owner, () => acquireConnection())));
  try {
    await expect.poll(async () => (await app.fetch('/readyz')).status).toBe(200);
    const { text } = await app.fetch('/metrics');
    expect(parseMetrics(text).get('import_queue_rows{status="queued"}')).toBe(0);
  } finally {
    for (const each of taken) await releaseConnection(each);
  }
});

testOfTwo(
  'a call with an Idempotency-Key needs one connection, even where the limits are read again',
  async ({ app }) => {
    const { database, organizationLimits } = app.api;
    const farmer = await app.organization({ kind: 'farmer' });
    const transaction = database.transaction.bind(database);
    const begin = vi.spyOn(database, 'transaction').mockImplementation(async (work) => {
      // They are too old from the first statement of the transaction.
      organizationLimits.changed();
      return transaction(work);
    });
    onTestFinished(() => begin.mockRestore());
    const { acquireConnection, releaseConnection } = database.client as Connections;
    const taken = await forOwner('other', () => acquireConnection());
    try {
      const headers = { 'Idempotency-Key': randomUUID() };
      const invitation = { role: 'OrganizationMember' };
      const answer = await app.as(farmer).post('/invitations', invitation, headers);
      expect(answer.status, answer.text).toBe(201);
      expect(begin).toHaveBeenCalled();
    } finally {
      await releaseConnection(taken);
    }
  },
);
