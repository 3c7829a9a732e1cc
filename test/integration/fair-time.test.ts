import http from 'node:http';
import { once } from 'node:events';
import { expect } from 'vitest';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

/** An organization may use 30 ms at once, which a body of some megabytes exceeds everywhere. */
const test = serviceTest({ worker: false, config: { sharing: { maxThreadMsPerSecondPerOrganization: 1 } } });

const MEGABYTES = `{"farms":[${'"\\u0000",'.repeat(500_000)}""]}`;

const farmerOf = (app: TestApp, { tenantId }: TestOrganization) =>
  app.organization({ kind: 'farmer', tenantId });

/** Sends the headers of a body, but nothing of it. */
async function sendLength(app: TestApp, { id, admin }: TestOrganization, bytes: number) {
  const request = http.request(`${app.url}/api/v8.0/${id}/structures`, {
    method: 'PUT',
    headers: { Authorization: admin, 'Content-Type': 'application/json', 'Content-Length': String(bytes) },
  });
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  request.destroy();
  return response.statusCode;
}

test('a large body that takes long makes the next large one of its organization wait, and no other body', async ({
  app,
  vendor,
}) => {
  const [farmer, other] = [await farmerOf(app, vendor), await farmerOf(app, vendor)];
  const put = (who: TestOrganization, body: string) =>
    app.fetch(`/api/v8.0/${who.id}/structures`, {
      method: 'PUT',
      headers: { Authorization: who.admin, 'Content-Type': 'application/json' },
      body,
    });
  expect((await put(farmer, MEGABYTES)).status).toBe(400);
  const refused = await put(farmer, MEGABYTES);
  expect(refused.body).toMatchObject({ status: 429, type: '/problems/rate-limited' });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(refused.body.detail).toBe(
    'The organization has used up its 1 ms of processor time for large JSON bodies in a second. ' +
      `Try again in ${seconds} s.`,
  );
  expect((await put(farmer, '{"farms":[]}')).status).toBe(200);
  expect((await put(other, MEGABYTES)).status).toBe(400);
});

test('a body for which there is no time is refused before any of it is sent', async ({ app, vendor }) => {
  const farmer = await farmerOf(app, vendor);
  await app.fetch(`/api/v8.0/${farmer.id}/structures`, {
    method: 'PUT',
    headers: { Authorization: farmer.admin, 'Content-Type': 'application/json' },
    body: MEGABYTES,
  });
  expect(await sendLength(app, farmer, MEGABYTES.length)).toBe(429);
});

test('of a body that is refused little is read while the client sends it, and the answer arrives', async ({
  app,
  vendor,
}) => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const totalBytes = 256 * 1024 * 1024;
  const request = http.request(`${app.url}/api/v8.0/${vendor.id}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: vendor.admin, 'Content-Type': 'multipart/form-data; boundary=b' },
  });
  // The connection is reset at last.
  request.on('error', () => undefined);
  let sentBytes = 0;
  const send = () => {
    while (!request.destroyed && sentBytes < totalBytes) {
      sentBytes += piece.length;
      if (!request.write(piece)) return;
    }
  };
  request.on('drain', send);
  send();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  expect(response.statusCode).toBe(400);
  await once(request, 'close');
  expect(sentBytes).toBeLessThan(totalBytes / 2);
});
