import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect } from 'vitest';
import { freePort } from '../../../shared/local/free-port.ts';
import { busyWorker } from '../../support/busy-worker.ts';
import { compileService } from '../../support/service-process.ts';
import { serviceTest } from '../../support/service-test.ts';
import { spawnService } from '../../support/spawned-service.ts';

beforeAll(compileService);

const test = serviceTest({ worker: false, settings: { DRAIN_SECONDS: '30' } });

/** Longer than signals count as one, which a terminal sends to a parent and its child. */
const ANOTHER_SIGNAL_MS = 1_500;

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
