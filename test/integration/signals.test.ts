import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect } from 'vitest';
import { busyWorker } from '../support/busy-worker.ts';
import { compileService } from '../support/service-process.ts';
import { serviceTest } from '../support/service-test.ts';

beforeAll(compileService);

const test = serviceTest({ worker: false, settings: { DRAIN_SECONDS: '30' } });

test('a worker in the middle of an import finishes it after SIGTERM, and then ends', async ({ app }) => {
  const { worker, lock, statusOfImport } = await busyWorker(app);
  worker.signal('SIGTERM');
  await setTimeout(500);
  expect(await statusOfImport()).toEqual({ status: 'running' });
  await lock.release();
  expect(await worker.ended).toEqual([0, null]);
  expect(await statusOfImport()).toEqual({ status: 'succeeded' });
});
