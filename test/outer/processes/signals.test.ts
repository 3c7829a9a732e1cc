import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect } from 'vitest';
import { freePort } from '../../../shared/local/free-port.ts';
import { holdLock, type HeldLock } from '../../support/held-lock.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { compileService } from '../../support/service-process.ts';
import { serviceTest } from '../../support/service-test.ts';
import { spawnService, type SpawnedService } from '../../support/spawned-service.ts';
import type { TestApp } from '../../support/test-app.ts';

beforeAll(compileService);

const test = serviceTest({ worker: false, settings: { DRAIN_SECONDS: '30' } });

/** Longer than signals count as one, which a terminal sends to a parent and its child. */
const ANOTHER_SIGNAL_MS = 1_500;

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

test('a second signal ends a worker in the middle of an import at once, and the import is not lost', async ({
  app,
}) => {
  const { worker, lock, statusOfImport } = await busyWorker(app);
  worker.signal('SIGTERM');
  await setTimeout(ANOTHER_SIGNAL_MS);
  worker.signal('SIGTERM');
  expect(await worker.ended).toEqual([1, null]);
  await lock.release();
  const other = spawnService('worker', app.environment);
  await expect.poll(() => other.log()).toContain('worker accepts jobs');
  await expect.poll(statusOfImport).toEqual({ status: 'succeeded' });
  other.signal('SIGTERM');
  expect(await other.ended).toEqual([0, null]);
});

test('an API process serves during its delay after SIGTERM, not ready, and a second signal ends it at once', async ({
  app,
}) => {
  const port = await freePort();
  const settings = { ...app.environment, PORT: String(port), SHUTDOWN_DELAY_SECONDS: '60' };
  const api = spawnService('api', settings);
  const status = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.status, String);
  await expect.poll(() => status('/readyz')).toBe(200);
  api.signal('SIGTERM');
  await expect.poll(() => status('/readyz')).toBe(503);
  expect(await status('/problems/not-found')).toBe(200);
  await setTimeout(ANOTHER_SIGNAL_MS);
  api.signal('SIGTERM');
  expect(await api.ended).toEqual([1, null]);
});
