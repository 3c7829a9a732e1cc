import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionCookie } from '../support/session-cookie.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const PORTAL = { PORTAL_CLIENT_ID: 'module-portal' };

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ settings: PORTAL });
});

afterAll(() => app.stop());

const operatorCookie = async (on = app) => sessionCookie(on, await on.bearer({ operator: true }));

test('without a session a person is redirected to the sign-in, and from there back', async () => {
  const answer = await app.fetch('/queues/', { redirect: 'manual', headers: { Accept: 'text/html' } });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe('/portal/sign-in?page=%2Fqueues%2F');
});

test('without a session the data of the dashboard is 401', async () => {
  expect((await app.fetch('/queues/api/queues', { headers: { Accept: 'application/json' } })).status).toBe(
    401,
  );
});

test("an operator's session can open the dashboard", async () => {
  const board = await app.fetch('/queues/api/queues', { headers: { Cookie: await operatorCookie() } });
  expect(board.status).toBe(200);
  expect(board.text).toContain('import-module');
});

test('a user who is not an operator is refused, with a page or with a problem document', async () => {
  const Cookie = await sessionCookie(app, (await app.organization()).admin);
  const page = await app.fetch('/queues/', { headers: { Cookie, Accept: 'text/html' } });
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('for operators')]);
  const data = await app.fetch('/queues/api/queues', { headers: { Cookie, Accept: 'application/json' } });
  expect(data.body).toMatchObject({ status: 403, type: '/problems/auth-forbidden' });
});

test('an operator whose session outlives its token is led to the sign-in; a program gets 401', async () => {
  const Cookie = await sessionCookie(app, await app.bearer({ operator: true, expiresIn: -3_600 }));
  const page = await app.fetch('/queues/', { redirect: 'manual', headers: { Cookie, Accept: 'text/html' } });
  expect([page.status, page.headers.get('location')]).toEqual([303, '/portal/sign-in?page=%2Fqueues%2F']);
  const headers = { Cookie, Accept: 'application/json' };
  const data = await app.fetch('/queues/api/queues', { headers });
  expect([data.status, data.body.type]).toEqual([401, '/problems/auth-token-invalid']);
});

test('a change from another origin, or without one, is refused', async () => {
  const Cookie = await operatorCookie();
  const path = '/queues/api/queues/import-module/retry/failed';
  for (const headers of [{ Cookie, Origin: 'https://evil.example' }, { Cookie }])
    expect((await app.fetch(path, { method: 'PUT', headers })).status).toBe(403);
});

test('a read of its data that another site makes the browser send is refused', async () => {
  const headers = { Cookie: await operatorCookie(), 'Sec-Fetch-Site': 'cross-site' };
  expect((await app.fetch('/queues/api/queues', { headers })).status).toBe(403);
});

test('after signing out at the portal the cookie is refused here', async () => {
  const headers = { Cookie: await operatorCookie(), Origin: app.url };
  expect((await app.fetch('/portal/session', { method: 'DELETE', headers })).status).toBe(200);
  expect((await app.fetch('/queues/api/queues', { headers })).status).toBe(401);
});

test.each(['import-module/retry/failed', 'import-module/clean/completed', 'import-module/pause', 'pause'])(
  'the dashboard changes nothing: %s',
  async (path) => {
    const headers = { Cookie: await operatorCookie(), Origin: app.url };
    const answer = await app.fetch(`/queues/api/queues/${path}`, { method: 'PUT', headers });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  },
);

test('the dashboard offers no change', async () => {
  const board = await app.fetch('/queues/api/queues', { headers: { Cookie: await operatorCookie() } });
  const queues = board.body.queues as { readOnlyMode: boolean; allowRetries: boolean }[];
  expect(queues).toHaveLength(2);
  for (const queue of queues) expect(queue).toMatchObject({ readOnlyMode: true, allowRetries: false });
});

test('a job whose import is unknown completes and does nothing', async () => {
  const queue = app.api.queue.lanes.regular;
  const importId = 'dead0000-0000-4000-8000-000000000000';
  await queue.add('import-module', { importId, retries: 0 }, { jobId: importId });
  await expect.poll(async () => queue.getJob(importId)).toBeUndefined();
});
