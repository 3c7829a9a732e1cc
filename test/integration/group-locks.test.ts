import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { ImportGroups, type NewUpload } from '../../api/imports/import-groups.ts';
import { LOCK_TRY_MS } from '../../shared/db/connection-sharing.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { createImports } from '../../shared/db/imports/imports.ts';
import { holdLock } from '../support/held-lock.ts';
import { startsOn, storeGroup, storeUpload } from '../support/import-actors.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

async function newUpload(app: TestApp, vendor: TestOrganization, changes = {}): Promise<NewUpload> {
  const { row } = await storeUpload(app, vendor);
  return { row: { ...row, ...changes }, priority: 0 };
}

/** A pool as the API's, but for its waits, which a test does not outlast. */
function openPatientDatabase(app: TestApp) {
  const sharing = { maxWaitMs: 600_000, maxLockMs: 600_000 };
  const database = openDatabase({
    url: app.environment['DATABASE_URL'] ?? '',
    poolSize: 10,
    times: { lockMs: LOCK_TRY_MS, statementMs: 600_000 },
    sharing,
  });
  onTestFinished(() => database.destroy());
  return database;
}

/** A key that stands for another request, which a transaction holds. */
async function holdKey(app: TestApp, vendor: TestOrganization, key: string) {
  const claim = { key, fingerprint: Buffer.alloc(32, 1), keepDays: 7 };
  const { row } = await newUpload(app, vendor, { claim });
  await createImports(app.api.database, [{ ...row, groupId: null }]);
  const held = 'select 1 from idempotency_keys where organization_id = $1 and key = $2 for update';
  return holdLock(app, held, [vendor.id, key]);
}

test('an upload whose idempotency key another transaction holds delays none that is written with it', async ({
  app,
  vendor,
}) => {
  const key = randomUUID();
  const held = await holdKey(app, vendor, key);
  const claim = { key, fingerprint: Buffer.alloc(32), keepDays: 7 };
  const uploads = [await newUpload(app, vendor, { claim }), await newUpload(app, vendor)] as const;
  const groups = new ImportGroups(openPatientDatabase(app));
  const receiving = [groups.receive(vendor.id), groups.receive(vendor.id)] as const;
  const late = receiving[0].accept(uploads[0]);
  expect(await receiving[1].accept(uploads[1])).toMatchObject({ kind: 'created' });
  await held.release();
  expect(await late).toEqual({ kind: 'mismatch' });
});

test('an attempt whose import another transaction holds delays none that starts with it', async ({
  app,
  vendor,
}) => {
  const { importIds } = await storeGroup(app, vendor, 3);
  const [lockedId = '', ...freeIds] = importIds;
  const held = await holdLock(app, 'select 1 from imports where id = $1 for update', [lockedId]);
  const { starts } = startsOn(openPatientDatabase(app));
  const start = async (importId: string) => starts.add({ importId, retries: 0, runId: randomUUID() });
  const late = start(lockedId);
  expect(await Promise.all(freeIds.map(start))).toMatchObject(freeIds.map((id) => ({ id })));
  await held.release();
  expect(await late).toMatchObject({ id: lockedId, status: 'running' });
});

test('an upload is accepted from a person whose name has a lone surrogate', async ({ app, vendor }) => {
  const { row } = await newUpload(app, vendor, { actorName: 'Vera \ud800' });
  expect(await createImports(app.api.database, [{ ...row, groupId: null }])).toEqual([{ kind: 'created' }]);
});
