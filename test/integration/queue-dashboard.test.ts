import { afterAll, beforeAll, expect, test } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { sessionCookie } from '../support/session-cookie.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp } from '../support/test-app.ts';

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

test('a request that is not a retry is refused', async () => {
  const headers = { Cookie: await operatorCookie(), Origin: app.url };
  const answer = await app.fetch('/queues/api/queues/import-module/clean/completed', {
    method: 'PUT',
    headers,
  });
  expect(answer.status).toBe(405);
});

test('an import that failed because of an internal error is listed as failed, and a retry there completes it and is in the audit log', async () => {
  const idle = await startTestApp({ worker: false, settings: PORTAL });
  const queue = idle.api.queue.lanes.regular;
  const vendor = await idle.organization();
  const zip = samplePackage(idle.api.catalogue);
  const queued = await idle.importPackage(vendor, zip, { headers: { Prefer: 'respond-async' } });
  const importId = queued.body.importId as string;
  const read = async () =>
    (
      await idle.fetch(`/api/v8.0/${vendor.id}/imports/${importId}`, {
        headers: { Authorization: vendor.admin },
      })
    ).body.status as string;
  const row = await idle.api
    .database('imports')
    .where({ id: importId })
    .first<{ archiveKey: string } | undefined>();
  // The storage has lost the upload, and the job has only one attempt.
  await idle.api.storage.remove(row?.archiveKey ?? '');
  await (await queue.getJob(importId))?.remove();
  await queue.add('import-module', { importId }, { jobId: importId, attempts: 1 });
  await idle.startWorker();
  await expect
    .poll(async () => (await queue.getJob(importId))?.getState(), { timeout: 20_000 })
    .toBe('failed');
  expect(await read()).toBe('failed');
  const [job] = await queue.getFailed();
  expect([job?.stacktrace, job?.failedReason]).toEqual([[], 'the import failed; the log has the cause']);

  await idle.api.storage.put(row?.archiveKey ?? '', zip);
  const Cookie = await sessionCookie(idle, await idle.bearer({ operator: true, subject: 'otto' }));
  const put = (path: string) =>
    idle.fetch(`/queues/api/queues/${path}`, { method: 'PUT', headers: { Cookie, Origin: idle.url } });
  // A retry of all is one of the lane that it was asked for.
  expect((await put('import-module-bulk/retry/failed')).body).toEqual({ retried: 0, skipped: 0 });
  expect((await put('elsewhere/retry/failed')).status).toBe(404);
  expect((await put(`import-module/${importId}/retry`)).status).toBe(204);
  await expect.poll(read).toBe('succeeded');
  const log = await idle.as(vendor).get('/auditLog');
  expect(log.body.items).toMatchObject([
    { action: 'import.retried', actor: 'otto', targetId: importId },
    { action: 'import.accepted', targetId: importId },
    { action: 'organization.created' },
  ]);
  await idle.stop();
});

test('a job whose import is unknown completes and does nothing', async () => {
  const queue = app.api.queue.lanes.regular;
  const importId = 'dead0000-0000-4000-8000-000000000000';
  await queue.add('import-module', { importId }, { jobId: importId });
  // A completed job is removed; a failed one would be kept.
  await expect.poll(async () => queue.getJob(importId)).toBeUndefined();
});
