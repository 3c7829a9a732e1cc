import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { ARCHIVES } from '../../shared/db/imports/archives.ts';
import { samplePackage } from '../support/sample-package.ts';
import { holdLock, holdStructures } from '../support/held-lock.ts';
import { lockedCalls } from '../support/lock-waits.ts';
import { putFarms, sampleFarm } from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({
  config: {
    // One connection for each organization.
    database: { poolSize: 2, waitSeconds: 1, lockSeconds: 2, statementSeconds: 3 },
    imports: { lockSeconds: 1 },
  },
});

async function farmerWithFarm(app: TestApp): Promise<TestOrganization> {
  const farmer = await app.organization({ kind: 'farmer' });
  await putFarms(app, farmer, [sampleFarm()]);
  return farmer;
}

const summary = ({ status, body, headers }: Answer): unknown[] => [
  status,
  body.type,
  body.detail,
  headers.get('retry-after'),
];

test('a request whose lock is not free in time is 503, and so is one behind it, both with Retry-After and no error in the log', async ({
  app,
}) => {
  const farmer = await farmerWithFarm(app);
  const logged = vi.spyOn(app.api.log, 'error');
  const held = await holdStructures(app, farmer.id);
  const write = () => app.as(farmer).put('/structures', { farms: [sampleFarm()] });
  for (const each of [write(), write()])
    expect(summary(await each)).toEqual([
      503,
      '/problems/unavailable',
      'The data is in use by other requests. Try again in 5 seconds.',
      '5',
    ]);
  await held.release();
  expect((await write()).status).toBe(200);
  expect(logged).not.toHaveBeenCalled();
});

test('an upload whose row waits for a lock or a connection for too long is removed: it would count for nobody', async ({
  app,
}) => {
  const vendor = await app.organization();
  const stored = async () => {
    const keys: string[] = [];
    for await (const { key } of app.api.storage.list(ARCHIVES)) keys.push(key);
    return keys.toSorted();
  };
  const before = await stored();
  const held = await holdLock(app, 'select from organizations where id = $1 for update', [vendor.id]);
  const upload = () => app.importPackage(vendor, samplePackage(app.api.catalogue));
  const first = upload();
  await expect.poll(() => lockedCalls(app)).toBe(1);
  expect((await upload()).status).toBe(503);
  expect((await first).status).toBe(503);
  await held.release();
  expect(await stored()).toEqual(before);
});

test('a request whose statement takes too long is 503 with Retry-After', async ({ app }) => {
  const farmer = await farmerWithFarm(app);
  await app.api.database.raw(`
    create function never_ends() returns trigger language plpgsql as
      $$ begin perform pg_sleep(600); return new; end $$;
    create trigger never_ends before update on structure_sets for each row
      when (new.organization_id = '${farmer.id}') execute function never_ends();`);
  const answer = await app.as(farmer).put('/structures', { farms: [sampleFarm()] });
  expect(summary(answer).slice(0, 2)).toEqual([503, '/problems/unavailable']);
  expect(answer.headers.get('retry-after')).toBe('5');
});

test('an attempt whose lock is not free in time is repeated, and succeeds when it is', async ({
  app,
  vendor,
}) => {
  const moduleId = randomUUID();
  const lock = "select pg_advisory_xact_lock(hashtextextended('module ' || $1, 0))";
  const held = await holdLock(app, lock, [moduleId]);
  const imported = app.importPackage(vendor, samplePackage(app.api.catalogue, { descriptor: { moduleId } }));
  const attempt = async () => {
    const row = await app.api
      .database('imports')
      .where({ organizationId: vendor.id })
      .first<{ runId: string | null } | undefined>('runId');
    return row?.runId ?? null;
  };
  await expect.poll(attempt).not.toBeNull();
  const first = await attempt();
  await expect.poll(attempt).not.toBe(first);
  await held.release();
  const answer = await imported;
  expect(answer.status, answer.text).toBe(200);
});

test('a session of a request waits for a lock in short tries, and for a statement as long as the settings allow', async ({
  app,
}) => {
  await app.as('operator').get('/organizations');
  const { rows } = await app.api.database.raw<{ rows: { lock: string; statement: string }[] }>(
    "select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement",
  );
  expect(rows).toEqual([{ lock: '100ms', statement: '3s' }]);
});
