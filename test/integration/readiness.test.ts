import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../shared/local/free-port.ts';
import { makeModule } from '../support/machine-access.ts';
import { startRedisServer } from '../support/part-servers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { startTestIssuer } from '../support/test-issuer.ts';

const OK = { database: 'ok', storage: 'ok', queue: 'ok', issuer: 'ok' };

async function startApp(settings: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const app = await startTestApp({ settings });
  onTestFinished(() => app.stop());
  return app;
}

let passedMs = 0;

/** Reads it a minute later: the issuer is asked again when its last answer is some seconds old. */
async function readLater(app: TestApp) {
  passedMs += 60_000;
  const real = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + passedMs);
  const { status, body } = await app.fetch('/readyz');
  clock.mockRestore();
  return [status, body] as const;
}

/** The log messages about parts, in order. */
function watchParts(app: TestApp): unknown[] {
  const lines: unknown[] = [];
  for (const level of ['info', 'warn'] as const) {
    const write = app.api.log[level].bind(app.api.log);
    vi.spyOn(app.api.log, level).mockImplementation((fields: unknown, text?: string) => {
      if (typeof fields === 'object' && fields !== null && 'part' in fields) lines.push([fields.part, text]);
      write(fields, text);
    });
  }
  return lines;
}

test('an issuer that goes away leaves the process ready, API keys working, and two lines in the log', async () => {
  const app = await startApp();
  const lines = watchParts(app);
  const module = await makeModule(app, await app.organization());
  expect((await app.fetch('/readyz')).body).toEqual({ status: 'ok', parts: OK });
  await app.issuer.stop();
  const degraded = [200, { status: 'degraded', parts: { ...OK, issuer: 'unavailable' } }];
  expect(await readLater(app)).toEqual(degraded);
  expect(await readLater(app)).toEqual(degraded);
  expect(lines).toEqual([['issuer', 'part is unavailable']]);
  const called = await app.as(module).get('/StructuresByModuleId');
  expect(called.status, called.text).toBe(200);
  const second = await startTestIssuer('127.0.0.1', Number(new URL(app.issuer.url).port));
  onTestFinished(() => second.stop());
  expect(await readLater(app)).toEqual([200, { status: 'ok', parts: OK }]);
  expect(lines).toEqual([
    ['issuer', 'part is unavailable'],
    ['issuer', 'part is available'],
  ]);
});

test('a process whose issuer has never answered is ready and degraded after 30 seconds, and calls with tokens get 503', async () => {
  const app = await startApp({ AUTH_ISSUER: `http://127.0.0.1:${await freePort()}` });
  const parts = { ...OK, issuer: 'unavailable' };
  const { status, body } = await app.fetch('/readyz');
  expect([status, body]).toEqual([503, { status: 'unavailable', parts }]);
  expect(await readLater(app)).toEqual([200, { status: 'degraded', parts }]);
  expect(await app.api.processMetrics.text()).toContain('part_degraded{part="issuer"} 1');
  const refused = await app.as(await app.organization()).get('/imports');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
});

test('a storage or a queue that goes away degrades the process', async () => {
  const app = await startApp();
  expect((await app.fetch('/readyz')).body).toEqual({ status: 'ok', parts: OK });
  const away = () => Promise.reject(new Error('away'));
  for (const part of ['storage', 'queue'] as const) {
    const check = vi.spyOn(app.api[part], 'check').mockImplementation(away);
    const { status, body } = await app.fetch('/readyz');
    expect([status, body]).toEqual([200, { status: 'degraded', parts: { ...OK, [part]: 'unavailable' } }]);
    check.mockRestore();
  }
  expect((await app.fetch('/readyz')).body).toEqual({ status: 'ok', parts: OK });
  expect(await app.api.processMetrics.text()).toContain('part_degraded{part="storage"} 0');
});

test('a process whose AUTH_ISSUER has a slash more than the issuer is not ready at first, and the log says what to set', async () => {
  const issuer = await startTestIssuer();
  onTestFinished(() => issuer.stop());
  const app = await startApp({ AUTH_ISSUER: `${issuer.url}/` });
  const warn = vi.spyOn(app.api.log, 'warn');
  expect((await app.fetch('/readyz')).status).toBe(503);
  expect(warn).toHaveBeenCalledWith(
    {
      part: 'issuer',
      problem: `The issuer at ${issuer.url}/ calls itself ${issuer.url}.`,
      advice: `Set AUTH_ISSUER=${issuer.url}, with exactly its slash at the end.`,
    },
    'part is unavailable',
  );
});

test.runIf(inject('redisProgram') !== null)('a Redis that goes away leaves the process ready', async () => {
  const program = inject('redisProgram') ?? '';
  const folder = await mkdtemp(path.join(inject('scratch'), 'redis-'));
  const redis = await startRedisServer(program, await freePort(), folder);
  onTestFinished(() => void redis.process.kill('SIGKILL'));
  const app = await startApp({ REDIS_URL: `redis://127.0.0.1:${redis.port}` });
  expect((await app.fetch('/readyz')).body).toEqual({ status: 'ok', parts: OK });
  redis.process.kill('SIGKILL');
  await expect
    .poll(async () => (await app.fetch('/readyz')).body as unknown)
    .toEqual({
      status: 'degraded',
      parts: { ...OK, queue: 'unavailable' },
    });
});
