import { once } from 'node:events';
import http from 'node:http';
import express from 'express';
import { expect, onTestFinished } from 'vitest';
import { setCookie, startSession } from '../../api/auth/session.ts';
import { loadConfig } from '../../shared/config/config.ts';
import { portOf } from '../../shared/local/free-port.ts';
import { newSession } from '../support/session-cookie.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ worker: false, settings: { PORTAL_CLIENT_ID: 'module-portal' } });

/** The address of a server that answers with this handler until the test ends. */
async function serveHandler(handler: express.RequestHandler): Promise<string> {
  const server = express().use(handler).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server)}`;
}

/** Starts a session, as the end of a sign-in does; returns the cookie that the browser then sends. */
async function signIn(app: TestApp, { admin }: TestOrganization, Cookie = ''): Promise<string> {
  const { sessions } = app.api;
  if (sessions === null) throw new Error('the app has no portal');
  const url = await serveHandler(async (request, response) => {
    await startSession(app.api, sessions, request, response, newSession(admin));
    response.end();
  });
  const answer = await fetch(url, { headers: { Cookie } });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

test('a second sign-in of a browser ends its first session', async ({ app, vendor }) => {
  const statusOf = async (Cookie: string) =>
    (await app.fetch(`/portal/api/${vendor.id}/modules`, { headers: { Cookie } })).status;
  const first = await signIn(app, vendor);
  expect(await statusOf(first)).toBe(200);
  const elsewhere = await signIn(app, vendor);
  const second = await signIn(app, vendor, first);
  expect([await statusOf(first), await statusOf(second), await statusOf(elsewhere)]).toEqual([401, 200, 200]);
});

test.for([
  ['http://localhost:8080', 'module_session', false],
  ['http://127.0.0.1:8080', 'module_session', false],
  ['http://[::1]:8080', 'module_session', false],
  ['https://localhost', '__Host-module_session', true],
  ['https://modules.example', '__Host-module_session', true],
  ['http://modules.example', '__Host-module_session', true],
  ['http://127.0.0.1.modules.example', '__Host-module_session', true],
] as const)('the cookie of %s is %s; sent over TLS only: %j', async ([origin, name, isSecure], { app }) => {
  const api = {
    ...app.api,
    config: { ...app.api.config, server: loadConfig({ PUBLIC_URL: origin }).server },
  };
  const url = await serveHandler((request, response) => {
    setCookie(api, request, response, 'module_session', { text: 'x', maxAgeMs: 1_000 });
    response.end();
  });
  const cookie = (await fetch(url)).headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(new RegExp(`^${name}=x;`));
  expect([cookie.includes('HttpOnly'), cookie.includes('SameSite=Lax'), cookie.includes('Path=/;')]).toEqual([
    true,
    true,
    true,
  ]);
  expect(cookie.includes('Secure')).toBe(isSecure);
  expect(cookie).not.toContain('Domain');
});

/** The answer to a request with another Host header, which fetch does not send. */
async function answerAt(app: TestApp, path: string, headers: http.OutgoingHttpHeaders) {
  const [response] = (await once(
    http.get(new URL(path, app.url), { headers, agent: false }),
    'response',
  )) as [http.IncomingMessage];
  response.resume();
  return { status: response.statusCode, challenge: response.headers['www-authenticate'] };
}

test('away from this machine a cookie without the prefix is no session', async ({ app, vendor }) => {
  const cookie = await signIn(app, vendor);
  const statusAt = async (Host: string, Cookie: string) =>
    (await answerAt(app, `/portal/api/${vendor.id}/modules`, { Host, Cookie })).status;
  expect(await statusAt('127.0.0.1', cookie)).toBe(200);
  expect(await statusAt('modules.example', cookie)).toBe(401);
  expect(await statusAt('modules.example', `__Host-${cookie}`)).toBe(200);
});

test.for([
  ['a call without a token', '/api/v8.0/organizations', {}],
  ['a call with a wrong token', '/api/v8.0/organizations', { Authorization: 'Bearer x' }],
  ['a call without an API key', '/api/v8.0/Alerts/RulesByModuleId/3f2504e0-4f89-41d3-9a0c-0305e82c3301', {}],
  ['the portal’s API', '/portal/api/organizations', {}],
  ['the portal’s images', `/portal/media/${'0'.repeat(64)}`, {}],
  ['the queue dashboard', '/queues/api/queues', {}],
  ['a sign-in that is refused', '/portal/sign-in/callback?code=x&state=y', {}],
] as const)('the 401 of %s names a scheme in WWW-Authenticate', async ([, path, headers], { app }) => {
  const { status, challenge } = await answerAt(app, path, headers);
  expect([status, challenge]).toEqual([401, expect.stringMatching(/^(?:Bearer|ApiKey) realm="api"/)]);
});
