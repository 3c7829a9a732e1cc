import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeCiKey, startCiIssuer, type CiIssuer } from '../support/ci-issuer.ts';
import { exchange, LOOPBACK_ISSUERS, publishingModule } from '../support/publishing-module.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;

beforeAll(async () => {
  app = await startTestApp({ settings: LOOPBACK_ISSUERS });
  vendor = await app.organization();
});

afterAll(() => app.stop());

async function newIssuer(): Promise<{ issuer: CiIssuer; moduleId: string }> {
  const issuer = await startCiIssuer();
  onTestFinished(() => issuer.stop());
  return { issuer, moduleId: await publishingModule(app, vendor, issuer.url) };
}

/** Lets time pass for the process's clock, by which it bounds fetches. */
function passSeconds(seconds: number): void {
  const real = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + seconds * 1_000);
  onTestFinished(() => clock.mockRestore());
}

test('the keys of an issuer are fetched once for many exchanges, also at the same time', async () => {
  const { issuer, moduleId } = await newIssuer();
  const tokens = await Promise.all([issuer.token(), issuer.token(), issuer.token()]);
  const answers = await Promise.all(tokens.map((token) => exchange(app, moduleId, token)));
  expect((await exchange(app, moduleId, await issuer.token())).status).toBe(200);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/jwks']);
});

test('a new key of the issuer is fetched when a token names it, but not more often than every 30 s', async () => {
  const { issuer, moduleId } = await newIssuer();
  await exchange(app, moduleId, await issuer.token());
  const key = await makeCiKey('second');
  issuer.keys = [issuer.key.jwk, key.jwk];
  for (let i = 0; i < 5; i += 1)
    expect((await exchange(app, moduleId, await issuer.token({}, { key }))).status).toBe(401);
  expect(issuer.requests).toHaveLength(2);
  passSeconds(31);
  expect((await exchange(app, moduleId, await issuer.token({}, { key }))).status).toBe(200);
  expect(issuer.requests).toHaveLength(4);
});

test('a key that the issuer withdraws is trusted for ten minutes at most', async () => {
  const { issuer, moduleId } = await newIssuer();
  await exchange(app, moduleId, await issuer.token());
  issuer.keys = [(await makeCiKey('second')).jwk];
  expect((await exchange(app, moduleId, await issuer.token())).status).toBe(200);
  passSeconds(601);
  expect((await exchange(app, moduleId, await issuer.token())).status).toBe(401);
});

const json =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };

/** Issuers that do not give their keys, or give what are not their own. */
const BAD: Readonly<Record<string, (issuer: CiIssuer) => RequestListener>> = {
  'ends the connection': () => (request) => request.socket.destroy(),
  'answers with 500': () => json({}, 500),
  'redirects to another address': (issuer) => (_request, response) => {
    response.writeHead(302, { Location: `${issuer.url}/elsewhere` }).end();
  },
  'answers with HTML': () => (_request, response) => {
    response.end('<!doctype html>');
  },
  'answers with null': () => json(null),
  'answers with more than 64 KiB': ({ url }) =>
    json({ issuer: url, jwks_uri: `${url}/jwks`, padding: 'a'.repeat(66_000) }),
  'has the document of another issuer': ({ url }) =>
    json({ issuer: 'https://gitlab.com', jwks_uri: `${url}/jwks` }),
  'has a document with a trailing slash': ({ url }) => json({ issuer: `${url}/`, jwks_uri: `${url}/jwks` }),
  'names no keys': ({ url }) => json({ issuer: url }),
  'names keys in the local network': ({ url }) => json({ issuer: url, jwks_uri: 'https://10.0.0.1/jwks' }),
  'names keys by plain http elsewhere': ({ url }) =>
    json({ issuer: url, jwks_uri: 'http://example.com/jwks' }),
  'names keys in a file': ({ url }) => json({ issuer: url, jwks_uri: 'file:///etc/passwd' }),
  'has keys that are not a list': ({ url }) => json({ issuer: url, jwks_uri: `${url}/jwks`, keys: 'x' }),
};

test.each(Object.entries(BAD))(
  'an issuer that %s is unavailable: 503, and when to try again',
  async (_what, answer) => {
    const { issuer, moduleId } = await newIssuer();
    issuer.answer = answer(issuer);
    const refused = await exchange(app, moduleId, await issuer.token());
    expect([refused.status, refused.body.type, refused.headers.get('retry-after')]).toEqual([
      503,
      '/problems/unavailable',
      '30',
    ]);
    expect(refused.text).not.toContain(issuer.url);
    const { length } = issuer.requests;
    expect((await exchange(app, moduleId, await issuer.token())).status).toBe(503);
    expect(issuer.requests, 'it is not called again at once').toHaveLength(length);
    issuer.answer = null;
    passSeconds(31);
    expect((await exchange(app, moduleId, await issuer.token())).status).toBe(200);
  },
);

test('an issuer that becomes unavailable keeps its keys; only a token with an unknown key waits for it', async () => {
  const { issuer, moduleId } = await newIssuer();
  await exchange(app, moduleId, await issuer.token());
  issuer.answer = json({}, 500);
  passSeconds(31);
  const unknown = await issuer.token({}, { key: await makeCiKey('second') });
  expect((await exchange(app, moduleId, unknown)).status).toBe(503);
  expect((await exchange(app, moduleId, await issuer.token())).status).toBe(200);
});

test.each([
  ['a shared secret', { kty: 'oct', k: 'AAAA', kid: 'first', alg: 'HS256' }],
  [
    'an RSA key of 512 bits',
    { kty: 'RSA', n: Buffer.alloc(64, 0xff).toString('base64url'), e: 'AQAB', kid: 'first' },
  ],
  ['a key that is not one', { kty: 'RSA', kid: 'first' }],
  ['an unknown kind of key', { kty: 'other', kid: 'first' }],
])('a token of an issuer that publishes %s is refused', async (_what, key) => {
  const { issuer, moduleId } = await newIssuer();
  issuer.keys = [key];
  expect((await exchange(app, moduleId, await issuer.token())).status).toBe(401);
});

test('an issuer of this machine that only another setting allows is unavailable, and never called', async () => {
  const { issuer, moduleId } = await newIssuer();
  const { DATABASE_URL = '', DATA_DIR = '' } = app.environment;
  const settings = { DATABASE_URL, DATA_DIR };
  const strict = await startTestApp({ settings, worker: false });
  expect((await exchange(strict, moduleId, await issuer.token())).status).toBe(503);
  expect(issuer.requests).toEqual([]);
  await strict.stop();
});
