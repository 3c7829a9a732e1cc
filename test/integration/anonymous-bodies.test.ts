import { once } from 'node:events';
import http from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

/** More bodies of the greatest size than the service receives for one caller. */
const BODIES = 400;
const BODY_BYTES = 64 * 1_024;

/** Starts a call that needs no credential, from a client address of this machine. */
function exchangeFrom(app: TestApp, localAddress: string, bytes: number): http.ClientRequest {
  const request = http.request(`${app.url}/api/v8.0/trusted-publishing/token`, {
    ...{ method: 'POST', localAddress },
    headers: { 'Content-Type': 'application/json', 'Content-Length': bytes },
  });
  onTestFinished(() => void request.destroy());
  return request.on('error', () => undefined);
}

async function statusFrom(app: TestApp, localAddress: string): Promise<number | undefined> {
  const body = '{"token":"a.b.c","moduleId":"00000000-0000-4000-8000-000000000001"}';
  const request = exchangeFrom(app, localAddress, body.length).end(body);
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

test('a client without a credential that sends no bodies keeps no other client from the service', async ({
  app,
}) => {
  for (let count = 0; count < BODIES; count += 1) exchangeFrom(app, '127.0.0.2', BODY_BYTES).flushHeaders();
  await expect.poll(() => statusFrom(app, '127.0.0.2')).toBe(429);
  expect(await statusFrom(app, '127.0.0.1')).toBe(401);
});
