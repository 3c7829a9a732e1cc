import { once } from 'node:events';
import net from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate } from '../../../shared/db/migrate.ts';
import { freePort, portOf } from '../../../shared/local/free-port.ts';
import { ensureDatabase } from '../../../shared/local/postgres.ts';
import { compileService } from '../../support/service-process.ts';
import { spawnService } from '../../support/spawned-service.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
/** Nothing listens there: a free port might be taken by another test. */
const nowhere = '127.0.0.1:1';
/** Accepts connections, and never answers. */
let silence: net.Server;

beforeAll(async () => {
  compileService();
  app = await startTestApp({ worker: false });
  silence = net.createServer().listen(0, '127.0.0.1');
  await once(silence, 'listening');
});

afterAll(async () => {
  silence.close();
  await app.stop();
});

type Settings = Readonly<Record<string, string>>;

const emptyDatabase = () => ensureDatabase(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '')}`);
const s3 = (address: string): Settings => ({
  S3_ENDPOINT: `http://${address}`,
  S3_BUCKET: 'none',
  S3_ACCESS_KEY_ID: 'none',
  S3_SECRET_ACCESS_KEY: 'none',
});

/** A missing part, and the part that the process then waits for. */
type Lack = readonly [part: string, settings: () => Settings | Promise<Settings>];
const ON_S3: Readonly<Record<string, Lack>> = { 'its bucket': ['storage', () => ({ S3_BUCKET: 'missing' })] };
const LACKS: Readonly<Record<string, Lack>> = {
  'its database': ['database', () => ({ DATABASE_URL: `postgres://somebody@${nowhere}/none` })],
  'an answer of its database': [
    'database',
    () => ({ DATABASE_URL: `postgres://somebody@127.0.0.1:${portOf(silence)}/none` }),
  ],
  'the migrations': ['database', async () => ({ DATABASE_URL: await emptyDatabase() })],
  'its storage': ['storage', () => s3(nowhere)],
  'its queue': ['queue', () => ({ REDIS_URL: `redis://${nowhere}` })],
  ...(inject('s3Store') !== null && ON_S3),
};

test.each(Object.entries(LACKS))(
  'a worker without %s accepts no jobs, says so, and ends at once on SIGTERM',
  async (_what, [part, lack]) => {
    const worker = spawnService('worker', { ...app.environment, ...(await lack()) });
    await expect.poll(() => worker.log()).toContain('waiting for a part');
    expect(worker.log()).toMatch(new RegExp(`"part":"${part}".*"waiting for a part"`));
    expect(worker.log()).not.toContain('worker accepts jobs');
    worker.signal('SIGTERM');
    expect(await worker.ended).toEqual([0, null]);
  },
);

test.each(Object.entries(LACKS))(
  'an API process without %s listens, is alive and not ready, and ends at once on SIGTERM',
  async (_what, [part, lack]) => {
    const port = await freePort();
    const api = spawnService('api', { ...app.environment, ...(await lack()), PORT: String(port) });
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await expect.poll(() => get('/livez').then(({ status }) => status, String)).toBe(200);
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { status: 'unavailable', parts: { [part]: 'unavailable' } },
    ]);
    const refused = await get('/api/v8.0/nothing');
    expect(refused.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    api.signal('SIGTERM');
    expect(await api.ended).toEqual([0, null]);
  },
);

test('a process that is started before the migrate step starts after it', async () => {
  const url = await emptyDatabase();
  const worker = spawnService('worker', { ...app.environment, DATABASE_URL: url });
  await expect.poll(() => worker.log()).toContain('The database lacks 0001-baseline');
  await migrate(url);
  await expect.poll(() => worker.log()).toContain('worker accepts jobs');
  worker.signal('SIGTERM');
  expect(await worker.ended).toEqual([0, null]);
});
