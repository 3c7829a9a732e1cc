import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, createLocalJWKSet } from 'jose';
import { expect } from 'vitest';
import { ISSUER_MS, IssuerClient } from '../../api/auth/issuer-client.ts';
import { Sessions } from '../../api/auth/sessions.ts';
import { createSession } from '../../shared/db/access/sessions/sessions.ts';
import { newSession } from '../support/session-cookie.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

const LIMITS = { idleMinutes: 60, maxHours: 12 };
const PORTAL = {
  ...{
    clientId: 'portal',
    clientSecret: null,
    scope: 'openid',
    requestParameters: new Map<string, string>(),
  },
  sessions: LIMITS,
};

const tokenFor = async (lifetimeSeconds: number) =>
  new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('tester')
    .setExpirationTime(Math.floor(Date.now() / 1_000) + lifetimeSeconds)
    .sign(new Uint8Array(32));

/** An issuer that answers when the test lets it. */
async function startWaitingIssuer() {
  const waiting = { documents: [] as ServerResponse[], tokens: [] as ServerResponse[] };
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    (request.url === '/token' ? waiting.tokens : waiting.documents).push(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = {
    issuer: url,
    jwks_uri: `${url}/keys`,
    token_endpoint: `${url}/token`,
    authorization_endpoint: `${url}/authorize`,
  };
  return {
    ...waiting,
    client: () => new IssuerClient(url, PORTAL, createLocalJWKSet({ keys: [] })),
    answerDocument: () => waiting.documents.at(-1)?.end(JSON.stringify(text)),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('while a slow issuer answers one process, its claim lasts longer than both answers may take, and no other process uses the refresh token', async ({
  app,
}) => {
  const { database, encryptionKeys, log } = app.api;
  const issuer = await startWaitingIssuer();
  const processes = [1, 2].map(
    () => new Sessions({ database, encryptionKeys, log }, issuer.client(), LIMITS),
  );
  const expired = newSession(await tokenFor(-60), { refreshToken: 'once', lifetimeMs: 0 });
  const secret = await createSession(database, encryptionKeys, expired, LIMITS);
  await database('sessions').update({ refreshAt: new Date(0) });
  const found = processes.map(async (sessions) => sessions.find(secret));
  await expect.poll(() => issuer.documents.length).toBe(1);
  const { rows } = await database.raw<{ rows: { leftMs: number }[] }>(
    'select extract(epoch from refresh_at - clock_timestamp())::float * 1000 as left_ms from sessions',
  );
  expect(rows[0]?.leftMs).toBeGreaterThan(ISSUER_MS);
  issuer.answerDocument();
  await expect.poll(() => issuer.tokens.length).toBe(1);
  expect(issuer.documents).toHaveLength(1);
  issuer.tokens[0]?.end(
    JSON.stringify({ access_token: await tokenFor(300), token_type: 'bearer', refresh_token: 'next' }),
  );
  for (const session of await Promise.all(found)) expect(session?.subject).toBe('tester');
  expect(issuer.tokens).toHaveLength(1);
  issuer.stop();
});

test('a refresh token is not sent where the claim leaves no time for the answer', async () => {
  const issuer = await startWaitingIssuer();
  const refreshed = issuer.client().refresh('once', null, 0);
  const outcome = refreshed.then(
    () => 'refreshed',
    (error: unknown) => (error instanceof Error ? error.message : 'unknown'),
  );
  await expect.poll(() => issuer.documents.length).toBe(1);
  issuer.answerDocument();
  expect(await outcome).toContain('no time left');
  expect(issuer.tokens).toEqual([]);
  issuer.stop();
});
