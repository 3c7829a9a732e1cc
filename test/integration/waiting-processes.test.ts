import net from 'node:net';
import { beforeAll, expect } from 'vitest';
import { freePort } from '../../shared/local/free-port.ts';
import { compileService } from '../support/service-process.ts';
import { serviceTest } from '../support/service-test.ts';
import { spawnService } from '../support/spawned-service.ts';
import { overTcp } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

beforeAll(compileService);

/** Forwards connections to the database of the tests, from when it listens. */
function forwarder(databaseUrl: string): net.Server {
  const { hostname, port } = new URL(databaseUrl);
  return net.createServer((client) => {
    const onward = net.connect(Number(port), hostname);
    client.on('error', () => onward.destroy()).pipe(onward);
    onward.on('error', () => client.destroy()).pipe(client);
  });
}

test('an API process and a worker without a database say so, the API is alive and not ready, and both start when it comes', async ({
  app,
}) => {
  const [port, databasePort] = [await freePort(), await freePort()];
  const databaseUrl = overTcp(app.environment['DATABASE_URL'] ?? '');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${databasePort}`;
  const settings = { ...app.environment, DATABASE_URL: url.href };
  const api = spawnService('api', { ...settings, PORT: String(port) });
  const worker = spawnService('worker', settings);
  const status = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.status, String);
  for (const each of [api, worker])
    await expect.poll(() => each.log()).toMatch(/"part":"database".*"waiting for a part"/);
  await expect.poll(() => status('/livez')).toBe(200);
  expect(await status('/readyz')).toBe(503);
  expect(worker.log()).not.toContain('worker accepts jobs');
  const database = forwarder(databaseUrl).listen(databasePort, '127.0.0.1');
  await expect.poll(() => status('/readyz')).toBe(200);
  await expect.poll(() => worker.log()).toContain('worker accepts jobs');
  for (const each of [api, worker]) each.signal('SIGTERM');
  expect(await Promise.all([api.ended, worker.ended])).toEqual([
    [0, null],
    [0, null],
  ]);
  database.close();
});

test('a process that waits for a part ends at once on SIGTERM', async ({ app }) => {
  const url = 'postgres://somebody@127.0.0.1:1/none';
  const worker = spawnService('worker', { ...app.environment, DATABASE_URL: url });
  await expect.poll(() => worker.log()).toContain('waiting for a part');
  worker.signal('SIGTERM');
  expect(await worker.ended).toEqual([0, null]);
});
