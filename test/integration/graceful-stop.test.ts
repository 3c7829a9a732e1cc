import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { drain, serve } from '../../api/http/server/serve.ts';
import { openApiContext } from '../../api/open-context.ts';
import { samplePackage } from '../support/sample-package.ts';
import { packageForm } from '../support/package-form.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** A second API process of a service, which a test may stop. */
async function startApi(app: TestApp) {
  const api = await openApiContext(app.config);
  const serving = await serve(api);
  return {
    api,
    url: `http://127.0.0.1:${serving.port}`,
    stop: async (times: { delayMs: number; finishMs: number }) => {
      await drain(serving, api, times);
      await api.close();
    },
  };
}

async function get(url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(response));
    })
      .once('error', reject)
      .end();
  });
}

test('a draining process is not ready, but still serves requests and then closes their connections', async () => {
  const app = await startTestApp({ worker: false });
  const second = await startApi(app);
  const agent = new Agent({ keepAlive: true });
  const before = await get(`${second.url}/readyz`, agent);
  expect([before.statusCode, before.headers.connection]).toEqual([200, 'keep-alive']);
  const stopped = second.stop({ delayMs: 3_000, finishMs: 3_000 });
  const ready = await get(`${second.url}/readyz`, agent);
  expect(ready.statusCode).toBe(503);
  const served = await get(`${second.url}/problems/not-found`, agent);
  expect([served.statusCode, served.headers.connection]).toEqual([200, 'close']);
  await stopped;
  await expect(get(`${second.url}/livez`, agent)).rejects.toThrow('ECONNREFUSED');
  agent.destroy();
  await app.stop();
});

test('a process that refuses requests answers with Retry-After on connections that are still open', async () => {
  const app = await startTestApp({ worker: false });
  app.api.stop.refuse();
  const answer = await app.fetch('/api/v8.0/limits');
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({ type: '/problems/unavailable' });
  expect(answer.headers.get('connection')).toBe('close');
  expect(answer.headers.get('retry-after')).toBe('1');
  await app.stop();
});

test('a request that has not ended in time is reset, so that no client takes a part of an answer for the whole', async () => {
  const app = await startTestApp({ worker: false });
  const vendor = await app.organization();
  const second = await startApi(app);
  const { hostname, port } = new URL(second.url);
  const client = connect(Number(port), hostname);
  client.write(
    `POST /api/v8.0/${vendor.id}/ImportModuleAsync HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${vendor.admin}\r\n` +
      'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n',
  );
  await expect.poll(() => second.api.imports.uploadSlots.takenBy(vendor.id)).toBe(1);
  const ended = once(client.resume(), 'end');
  await Promise.all([
    expect(ended).rejects.toMatchObject({ code: 'ECONNRESET' }),
    second.stop({ delayMs: 0, finishMs: 1_000 }),
  ]);
  await app.stop();
});

test("a request that waits for an import when its process stops gets the import's address", async () => {
  const app = await startTestApp({ worker: false });
  const vendor = await app.organization();
  const second = await startApi(app);
  const waiting = fetch(`${second.url}/api/v8.0/${vendor.id}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: vendor.admin },
    body: packageForm(samplePackage(app.api.catalogue)),
  });
  const count = async () => (await app.api.database('imports').select('id')).length;
  await expect.poll(count).toBe(1);
  await second.stop({ delayMs: 0, finishMs: 3_000 });
  const answer = await waiting;
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({
    type: '/problems/import-still-running',
    detail: 'The server is shutting down. The import continues.',
  });
  await app.startWorker();
  const location = answer.headers.get('location') ?? '';
  const read = async () =>
    (await app.fetch(location, { headers: { Authorization: vendor.admin } })).body.status as string;
  await expect.poll(read).toBe('succeeded');
  await app.stop();
});

test('an event stream ends when its process stops, and resumes at another process after the last event', async () => {
  const app = await startTestApp({ worker: false });
  const vendor = await app.organization();
  const headers = { Authorization: vendor.admin };
  const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue), {
    headers: { Prefer: 'respond-async' },
  });
  const path = `/api/v8.0/${vendor.id}/imports/${String(body.importId)}/events`;
  const second = await startApi(app);
  const stream = await fetch(second.url + path, { headers });
  const text = stream.text();
  await second.stop({ delayMs: 0, finishMs: 3_000 });
  const id = /^id: (\d+)$/m.exec(await text)?.[1];
  expect(id).toBeDefined();
  await app.startWorker();
  const rest = await app.fetch(path, { headers: { ...headers, 'Last-Event-ID': id ?? '' } });
  expect(rest.text).toContain('"status":"succeeded"');
  expect(rest.text).not.toContain(`id: ${String(id)}\n`);
  await app.stop();
});
