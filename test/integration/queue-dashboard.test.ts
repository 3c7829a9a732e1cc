import { afterAll, beforeAll, expect, test } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp } from '../support/test-app.ts';
import type { Answer, TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.stop());

function signIn(token: string, origin = app.url): Promise<Answer> {
  return app.fetch('/queues/sign-in', {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin },
    body: new URLSearchParams({ token }),
  });
}

async function operatorCookie(): Promise<string> {
  const answer = await signIn(await app.issuer.token({ operator: true }));
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

test('without a session a person is led to the sign-in page', async () => {
  const answer = await app.fetch('/queues/', { redirect: 'manual', headers: { Accept: 'text/html' } });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe('/queues/sign-in');
});

test('without a session the data of the dashboard is 401', async () => {
  expect((await app.fetch('/queues/api/queues', { headers: { Accept: 'application/json' } })).status).toBe(
    401,
  );
});

test('an operator signs in and sees the queue; the cookie is opaque, HttpOnly, strict and for /queues', async () => {
  const token = await app.issuer.token({ operator: true });
  const answer = await signIn(token);
  expect(answer.status).toBe(303);
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^queues_session=[\w-]{43}; /);
  for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/queues']) expect(cookie).toContain(part);
  expect(cookie).not.toContain('Secure');
  const board = await app.fetch('/queues/api/queues', { headers: { Cookie: cookie.split(';', 1)[0] ?? '' } });
  expect(board.status).toBe(200);
  expect(board.text).toContain('import-module');
});

test('a token that is no operator is refused, and begins no session', async () => {
  const { admin } = await app.organization();
  const answer = await signIn(admin.replace('Bearer ', ''));
  expect(answer.status).toBe(401);
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('the page of a refused sign-in does not repeat the token', async () => {
  const answer = await signIn('not-a-token-<script>');
  expect(answer.status).toBe(401);
  expect(answer.text).not.toContain('not-a-token');
});

test('of a session only the hash is kept', async () => {
  const cookie = await operatorCookie();
  const rows = await app.api.database('operator_sessions').select('*');
  expect(JSON.stringify(rows)).not.toContain(cookie.replace('queues_session=', ''));
});

test('a post from another origin, or from none, is refused', async () => {
  expect((await signIn('x', 'https://evil.example')).status).toBe(403);
  const cookie = await operatorCookie();
  expect((await app.fetch('/queues/sign-out', { method: 'POST', headers: { Cookie: cookie } })).status).toBe(
    403,
  );
});

test('after signing out the cookie is worth nothing', async () => {
  const cookie = await operatorCookie();
  await app.fetch('/queues/sign-out', {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie, Origin: app.url },
  });
  expect((await app.fetch('/queues/api/queues', { headers: { Cookie: cookie } })).status).toBe(401);
});

test('what is no retry is refused', async () => {
  const headers = { Cookie: await operatorCookie(), Origin: app.url };
  const answer = await app.fetch('/queues/api/queues/import-module/clean/completed', {
    method: 'PUT',
    headers,
  });
  expect(answer.status).toBe(405);
});

test('an import that failed by our fault is listed as failed, and a retry there ends it as it should', async () => {
  const idle = await startTestApp({ worker: false });
  const { queue } = idle.api.queue;
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
  // The storage has lost the upload, and the job has but one attempt.
  await idle.api.storage.remove(row?.archiveKey ?? '');
  await (await queue.getJob(importId))?.remove();
  await queue.add('import-module', { importId }, { jobId: importId, attempts: 1 });
  await idle.startWorker();
  await expect
    .poll(async () => (await queue.getJob(importId))?.getState(), { timeout: 20_000 })
    .toBe('failed');
  expect(await read()).toBe('failed');
  const [job] = await queue.getFailed();
  expect([job?.stacktrace, job?.failedReason]).toEqual([[], 'the import failed; the log names the cause']);

  await idle.api.storage.put(row?.archiveKey ?? '', zip);
  const token = await idle.issuer.token({ operator: true });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: idle.url };
  const signedIn = await idle.fetch('/queues/sign-in', {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams({ token }),
  });
  const Cookie = (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const retried = await idle.fetch(`/queues/api/queues/import-module/${importId}/retry`, {
    method: 'PUT',
    headers: { Cookie, Origin: idle.url },
  });
  expect(retried.status).toBe(204);
  await expect.poll(read).toBe('succeeded');
  await idle.stop();
});

test('a job whose import is unknown completes and does nothing', async () => {
  const { queue } = app.api.queue;
  const importId = 'dead0000-0000-4000-8000-000000000000';
  await queue.add('import-module', { importId }, { jobId: importId });
  // A completed job is removed; a failed one would stay.
  await expect.poll(async () => queue.getJob(importId)).toBeUndefined();
});
