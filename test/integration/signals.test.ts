import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect } from 'vitest';
import { holdLock, type HeldLock } from '../support/held-lock.ts';
import { samplePackage } from '../support/sample-package.ts';
import { compileService } from '../support/service-process.ts';
import { serviceTest } from '../support/service-test.ts';
import { spawnService, type SpawnedService } from '../support/spawned-service.ts';
import type { TestApp } from '../support/test-app.ts';

beforeAll(compileService);

const test = serviceTest({ worker: false, settings: { DRAIN_SECONDS: '30' } });

/** A worker in the middle of an import, whose last statement waits until the lock is released. */
async function busyWorker(app: TestApp): Promise<{
  readonly worker: SpawnedService;
  readonly lock: HeldLock;
  statusOfImport(): Promise<unknown>;
}> {
  const vendor = await app.organization();
  const lock = await holdLock(app, 'lock table module_revisions in share mode', []);
  const headers = { Prefer: 'respond-async' };
  const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue), { headers });
  const statusOfImport = async () => {
    const row: unknown = await app.api.database('imports').where({ id: body.importId }).first('status');
    return row;
  };
  const worker = spawnService('worker', app.environment);
  await expect.poll(statusOfImport).toEqual({ status: 'running' });
  return { worker, lock, statusOfImport };
}

test('a worker in the middle of an import finishes it after SIGTERM, and then ends', async ({ app }) => {
  const { worker, lock, statusOfImport } = await busyWorker(app);
  worker.signal('SIGTERM');
  await setTimeout(500);
  expect(await statusOfImport()).toEqual({ status: 'running' });
  await lock.release();
  expect(await worker.ended).toEqual([0, null]);
  expect(await statusOfImport()).toEqual({ status: 'succeeded' });
});
