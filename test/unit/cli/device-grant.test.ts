import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServerError } from '../../../shared/cli/exit-codes.ts';
import { refreshTokens, signInByDevice } from '../../../shared/cli/sign-in/device-grant.ts';
import { findSignInService } from '../../../shared/cli/sign-in/find-issuer.ts';

interface Scripted {
  readonly status?: number;
  readonly body: unknown;
}

/** Requests with their forms, and the answers that a server and an issuer at one address give, in order for each path. */
let requests: { readonly path: string; readonly form: string }[];
let answers: Record<string, Scripted[]>;
let url: string;
const server = createServer();

server.on('request', (request, response) => {
  void text(request).then((form) => {
    const path = request.url ?? '';
    requests.push({ path, form });
    const list = answers[path] ?? [];
    const { status = 200, body } = (list.length > 1 ? list.shift() : list[0]) ?? { status: 404, body: {} };
    response.writeHead(status, status === 302 ? { Location: '/elsewhere' } : {});
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
});

const TOKENS = { access_token: 'secret-token', token_type: 'Bearer', expires_in: 60 };
const RESOURCE = '/.well-known/oauth-protected-resource';
const DISCOVERY = '/.well-known/openid-configuration';

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  requests = [];
  const modulectl = { client_id: 'cli', scope: 'openid', request_parameters: { audience: 'modules' } };
  const code = { device_code: 'secret-code', user_code: 'BCDF-GHJK', verification_uri: `${url}/device` };
  answers = {
    [RESOURCE]: [{ body: { resource: url, authorization_servers: [url], modulectl } }],
    [DISCOVERY]: [
      {
        body: { issuer: url, device_authorization_endpoint: `${url}/start`, token_endpoint: `${url}/token` },
      },
    ],
    '/start': [{ body: { ...code, expires_in: 20, interval: 0.01 } }],
    '/token': [{ body: TOKENS }],
  };
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const signIn = async () => signInByDevice(await findSignInService(url), () => undefined);
const body = (path: string) => answers[path]?.[0]?.body as Record<string, unknown>;

test('polls until the person has signed in, with the parameters that the server names', async () => {
  const pending = { status: 400, body: { error: 'authorization_pending' } };
  answers['/token'] = [pending, pending, { body: { ...TOKENS, refresh_token: 'r' } }];
  const issued = await signIn();
  expect(issued).toMatchObject({ accessToken: 'secret-token', refreshToken: 'r' });
  expect(issued.expiresAtMs).toBeGreaterThan(Date.now());
  const forms = requests.map(({ path, form }) => [path, Object.fromEntries(new URLSearchParams(form))]);
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const poll = ['/token', { client_id: 'cli', grant_type, device_code: 'secret-code' }];
  expect(forms.slice(2)).toEqual([
    ['/start', { client_id: 'cli', scope: 'openid', audience: 'modules' }],
    poll,
    poll,
    poll,
  ]);
});

test.each([
  ['access_denied', 'The sign-in was refused in the browser.'],
  ['expired_token', 'The code has expired. Run the same command again.'],
  ['invalid_grant', 'The code has expired. Run the same command again.'],
  ['invalid_client', 'The issuer refused the sign-in: invalid_client.'],
  ['\u001b[31m secret-code', 'The issuer refused the sign-in: an unknown error.'],
])('the error %j of the issuer ends the sign-in with its reason', async (error, message) => {
  answers['/token'] = [{ status: 400, body: { error, error_description: 'secret-code' } }];
  await expect(signIn()).rejects.toThrow(message);
});

test('a code that expires while nobody signs in ends the sign-in', async () => {
  Object.assign(body('/start'), { expires_in: 0.05 });
  answers['/token'] = [{ status: 400, body: { error: 'authorization_pending' } }];
  await expect(signIn()).rejects.toThrow('The code has expired. Run the same command again.');
});

describe('a server or an issuer is not believed', () =>
  test.each<[title: string, change: () => void, message: string]>([
    [
      'that names another resource',
      () => Object.assign(body(RESOURCE), { resource: 'https://a.example' }),
      'its address is https://a.example',
    ],
    [
      'whose issuer has no https',
      () => Object.assign(body(RESOURCE), { authorization_servers: ['http://id.example'] }),
      'The issuer has an address without https',
    ],
    [
      'whose issuer is another one',
      () => Object.assign(body(DISCOVERY), { issuer: 'https://id.example' }),
      'is not an OpenID Connect issuer',
    ],
    [
      'whose token endpoint has no https',
      () => Object.assign(body(DISCOVERY), { token_endpoint: 'http://id.example/token' }),
      'The issuer has an address without https',
    ],
    [
      'without the device grant',
      () => delete body(DISCOVERY)['device_authorization_endpoint'],
      'offers no sign-in from a command line',
    ],
    [
      'whose page is no web page',
      () => Object.assign(body('/start'), { verification_uri: 'file:///etc/passwd' }),
      'an address without https',
    ],
    [
      'whose answer is no JSON',
      () => (answers['/token'] = [{ body: 'secret-token' }]),
      'did not answer with a JSON object',
    ],
    [
      'whose answer is too long',
      () => (answers['/start'] = [{ body: 'x'.repeat(300_000) }]),
      'does not answer: the answer is too long',
    ],
    [
      'that redirects',
      () => (answers['/start'] = [{ status: 302, body: {} }]),
      'redirects. Use the address that it redirects to.',
    ],
    [
      'whose token is for another scheme',
      () => (answers['/token'] = [{ body: { ...TOKENS, token_type: 'DPoP' } }]),
      'The issuer refused the sign-in',
    ],
  ])('%s', async (_, change, message) => {
    change();
    const error = await signIn().catch((each: unknown) => each);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('secret');
    expect(requests.map(({ path }) => path)).not.toContain('/elsewhere');
  }));

test('a token endpoint that redirects is not called again: it would redirect each call', async () => {
  answers['/token'] = [{ status: 302, body: {} }];
  await expect(signIn()).rejects.toThrow(`${url} redirects. Use the address that it redirects to.`);
  expect(requests.filter(({ path }) => path === '/token')).toHaveLength(1);
  const refresh = refreshTokens(`${url}/token`, 'cli', 'old');
  await expect(refresh).rejects.not.toBeInstanceOf(ServerError);
});

test('a refresh keeps the refresh token unless the issuer replaces it', async () => {
  expect(await refreshTokens(`${url}/token`, 'cli', 'old')).toMatchObject({ refreshToken: 'old' });
  answers['/token'] = [{ body: { ...TOKENS, refresh_token: 'new' } }];
  expect(await refreshTokens(`${url}/token`, 'cli', 'old')).toMatchObject({ refreshToken: 'new' });
});

test('a sign-in has ended only where the issuer wants a new one', async () => {
  answers['/token'] = [
    { status: 400, body: { error: 'invalid_grant' } },
    { status: 400, body: { error: 'interaction_required' } },
    { status: 400, body: { error: 'invalid_client' } },
    { status: 429, body: {} },
    { body: '<html>' },
  ];
  const refresh = () => refreshTokens(`${url}/token`, 'cli', 'old');
  expect([await refresh(), await refresh()]).toEqual([null, null]);
  await expect(refresh()).rejects.toThrow('The issuer refused the sign-in: invalid_client.');
  await expect(refresh()).rejects.toThrow(`${url} answered with status 429.`);
  await expect(refresh()).rejects.toThrow(`${url} did not answer with a JSON object.`);
});
