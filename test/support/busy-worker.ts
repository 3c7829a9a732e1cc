import { expect } from 'vitest';
import { holdLock, type HeldLock } from './held-lock.ts';
import { samplePackage } from './sample-package.ts';
import { spawnService, type SpawnedService } from './spawned-service.ts';
import type { TestApp } from './test-app.ts';

/** A worker in the middle of an import, whose last statement waits until the lock is released. */
export async function busyWorker(app: TestApp): Promise<{
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
