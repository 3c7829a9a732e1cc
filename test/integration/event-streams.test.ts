import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { holdLock } from '../support/held-lock.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { makeModule } from '../support/machine-access.ts';
import { startReading, type OpenAnswer } from '../support/open-answer.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const MANY = 40;
const test = serviceTest({
  worker: false,
  config: { streams: { maxEventStreams: MANY + 1, maxEventStreamsPerOrganization: MANY } },
});

/** Uploads a package whose import stays queued, and returns the address of its events. */
async function queueImport(app: TestApp, vendor: TestOrganization): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue), { headers });
  return `/api/v8.0/${vendor.id}/imports/${String(body.importId)}/events`;
}

async function openStreams(
  app: TestApp,
  { admin }: TestOrganization,
  path: string,
  count: number,
): Promise<readonly OpenAnswer[]> {
  const address = new URL(path, app.url);
  const streams = await Promise.all(
    Array.from({ length: count }, () => startReading(address, { Authorization: admin })),
  );
  onTestFinished(() => {
    for (const stream of streams) stream.hangUp();
  });
  return streams;
}

/** The number of queries of the API in a second. */
async function queriesPerSecond(app: TestApp): Promise<number> {
  const { client } = app.api.database as unknown as { client: { acquireConnection(): Promise<unknown> } };
  const acquire = client.acquireConnection.bind(client);
  // Otherwise they may be written within this second.
  const { apiKeys, seenPeople, keyRequests, dataReads } = app.api;
  for (const notes of [apiKeys, seenPeople, keyRequests, dataReads]) await notes.flush();
  let queries = 0;
  client.acquireConnection = async () => {
    queries += 1;
    return acquire();
  };
  await sleep(1_000);
  client.acquireConnection = acquire;
  return queries;
}

test(`${MANY} event streams cost as many queries as one: one a second at most`, async ({ app, vendor }) => {
  const path = await queueImport(app, vendor);
  await expect.poll(() => app.api.eventSlots.taken()).toBe(0);
  await openStreams(app, vendor, path, 1);
  const ofOne = await queriesPerSecond(app);
  const more = await openStreams(app, vendor, path, MANY - 1);
  expect(more.map(({ status }) => status)).toEqual(more.map(() => 200));
  const ofMany = await queriesPerSecond(app);
  expect(ofOne).toBeGreaterThan(0);
  expect(ofMany).toBeLessThanOrEqual(ofOne + 2);
});

test('an organization has so many event streams at once; another is answered beside them', async ({
  app,
}) => {
  const vendor = await app.organization();
  const path = await queueImport(app, vendor);
  await expect.poll(() => app.api.eventSlots.taken()).toBe(0);
  await openStreams(app, vendor, path, MANY);
  const refused = await app.fetch(path, { headers: { Authorization: vendor.admin } });
  expect(refused.body).toMatchObject({ status: 429, type: '/problems/rate-limited' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const other = await app.organization();
  const [stream] = await openStreams(app, other, await queueImport(app, other), 1);
  expect(stream?.status).toBe(200);
});

/** Resolves with the next answer that a server of this process starts. */
async function nextAnswer(): Promise<http.ServerResponse> {
  const channel = 'http.server.request.start';
  return new Promise((resolve) => {
    const notice = (message: unknown) => {
      unsubscribe(channel, notice);
      resolve((message as { readonly response: http.ServerResponse }).response);
    };
    subscribe(channel, notice);
  });
}

/** Calls while a statement's lock holds the call up, hangs up before the lock is released, and waits until no slot is held. */
async function expectNoSlotAfterHangUp(
  app: TestApp,
  path: string,
  headers: Readonly<Record<string, string>>,
  lock: string,
) {
  await expect.poll(() => app.api.eventSlots.taken()).toBe(0);
  const takes = vi.spyOn(app.api.eventSlots, 'takeNow');
  const held = await holdLock(app, lock, []);
  const starting = nextAnswer();
  const request = http.get(new URL(path, app.url), { headers, agent: false });
  request.on('error', () => undefined);
  const answer = await starting;
  await expect.poll(() => lockWaits(app)).toBeGreaterThan(0);
  const closing = once(answer, 'close');
  request.destroy();
  await closing;
  await held.release();
  await expect.poll(() => takes.mock.calls.length).toBe(1);
  takes.mockRestore();
  await expect.poll(() => app.api.eventSlots.taken(), { timeout: 30_000 }).toBe(0);
}

test('an event stream whose client hangs up before it starts holds no slot', async ({ app, vendor }) => {
  const path = await queueImport(app, vendor);
  const headers = { Authorization: vendor.admin };
  await expectNoSlotAfterHangUp(app, path, headers, 'lock table imports in access exclusive mode');
});

/** Waits for changes with a module's key, hangs up before the key is checked, and returns the module. */
async function hangUpBeforeKeyIsChecked(app: TestApp, vendor: TestOrganization): Promise<string> {
  const worker = await app.startWorker();
  const { moduleId, key } = await makeModule(app, vendor);
  await worker.stop();
  const path = `/api/v8.0/Alerts/ChangesByModuleId/${moduleId}`;
  const headers = { 'x-api-key': key, Prefer: 'wait=55' };
  await expectNoSlotAfterHangUp(app, path, headers, 'lock table api_keys in access exclusive mode');
  return moduleId;
}

test('a call that waits for changes holds no slot when its client hangs up before it is authorized', async ({
  app,
  vendor,
}) => {
  await hangUpBeforeKeyIsChecked(app, vendor);
});

test('a request whose back end hangs up before its key is checked is among the key requests, without a status', async ({
  app,
  vendor,
}) => {
  const moduleId = await hangUpBeforeKeyIsChecked(app, vendor);
  await app.api.keyRequests.flush();
  const { items } = (await app.as(vendor).get(`/modules/${moduleId}/keyRequests`)).body;
  expect(items).toMatchObject([{ method: 'GET', status: null }]);
});

test('HEAD of an event stream ends with its headers: its connection has the next answer', async ({
  app,
  vendor,
}) => {
  const path = await queueImport(app, vendor);
  const { hostname, port } = new URL(app.url);
  const socket = net.connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const shared = `Host: ${hostname}\r\nAuthorization: ${vendor.admin}\r\n`;
  socket.write(`HEAD ${path} HTTP/1.1\r\n${shared}\r\n`);
  socket.write(`GET ${path.replace('/events', '')} HTTP/1.1\r\n${shared}Connection: close\r\n\r\n`);
  const answers = await text(socket);
  expect(answers.match(/^HTTP.+|^Content-Type: .+/gm)).toEqual([
    ...['HTTP/1.1 200 OK', 'Content-Type: text/event-stream'],
    ...['HTTP/1.1 200 OK', 'Content-Type: application/json; charset=utf-8'],
  ]);
});

test('every stream of an import receives its change, and ends with it', async ({ app }) => {
  const vendor = await app.organization();
  const path = await queueImport(app, vendor);
  const streams = await openStreams(app, vendor, path, 10);
  const importId = path.split('/').at(-2) ?? '';
  await app.as(vendor).post(`/imports/${importId}/cancel`);
  for (const stream of streams) {
    const { text, isWhole } = await stream.readRest();
    expect(text).toContain('"status":"cancelled"');
    expect(isWhole).toBe(true);
  }
});

test.for([3, 9])(
  'a crash of the database that sets the version of an import back, here from 10 to %i, keeps no event stream from its end',
  async (restored, { app }) => {
    const vendor = await app.organization();
    const path = await queueImport(app, vendor);
    const importId = path.split('/').at(-2) ?? '';
    const setVersion = async (version: number) =>
      app.api.database('imports').where({ id: importId }).update({ version });
    await setVersion(10);
    const [stream] = await openStreams(app, vendor, path, 1);
    await stream?.readUntil('id: 10\n');
    await setVersion(restored);
    await app.as(vendor).post(`/imports/${importId}/cancel`);
    const rest = await stream?.readRest();
    expect(rest?.text).toContain('"status":"cancelled"');
    expect(rest?.isWhole).toBe(true);
  },
);

test('an event stream resumed with the ID of an event that a crash of the database undid sends the end of the import', async ({
  app,
}) => {
  const vendor = await app.organization();
  const path = await queueImport(app, vendor);
  await app.as(vendor).post(`/imports/${path.split('/').at(-2) ?? ''}/cancel`);
  const headers = { Authorization: vendor.admin, 'Last-Event-ID': '10' };
  const resumed = await app.fetch(path, { headers });
  expect([resumed.status, resumed.text]).toEqual([200, expect.stringContaining('"status":"cancelled"')]);
});

/** A stream whose token expires a second or two later; or more, on a machine that is too busy to open it in time. */
async function expiringStream(app: TestApp, { id }: TestOrganization, path: string) {
  for (let seconds = 2; seconds < 100; seconds *= 2) {
    const token = await app.bearer({
      organizations: [{ id, roles: ['OrganizationMember'] }],
      // It is accepted for 30 more seconds.
      expiresIn: seconds - 30,
    });
    const stream = await startReading(new URL(path, app.url), { Authorization: token });
    if (stream.status !== 401) return { token, stream };
  }
  throw new Error('no token is accepted');
}

test('an event stream ends when the token of its caller expires', async ({ app }) => {
  const vendor = await app.organization();
  const path = await queueImport(app, vendor);
  const { token, stream } = await expiringStream(app, vendor, path);
  expect(stream.status).toBe(200);
  const { isWhole } = await stream.readRest();
  expect(isWhole).toBe(true);
  expect((await app.fetch(path, { headers: { Authorization: token } })).status).toBe(401);
});
