import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK } from 'jose';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { AccessTokens } from '../../api/auth/access-token.ts';
import { ProblemError } from '../../api/http/problem.ts';
import { readAuth } from '../../shared/config/identity-config.ts';
import { SettingsReader } from '../../shared/config/settings-reader.ts';
import { portOf } from '../../shared/local/free-port.ts';
import { createLog } from '../../shared/telemetry/log.ts';
import { CI_AUDIENCE, makeCiKey, startCiIssuer, type CiIssuer } from '../support/ci-issuer.ts';
import { LogWatch } from '../support/log-watch.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly reason: string;
  readonly suppressed: number;
  readonly [name: string]: unknown;
}

/** Tokens of one issuer, with the lines that their refusals log. */
function tokensOf(issuer: string): { tokens: AccessTokens; lines: Line[] } {
  const lines: Line[] = [];
  const watch = new LogWatch();
  const destination = {
    write(line: string) {
      watch.write(line);
      lines.push(JSON.parse(line) as Line);
    },
  };
  onTestFinished(() => watch.check());
  const config = readAuth(new SettingsReader({ AUTH_ISSUER: issuer, AUTH_AUDIENCE: CI_AUDIENCE }));
  return { tokens: new AccessTokens({ ...config, issuer }, createLog('api', 'info', destination)), lines };
}

async function refusal(tokens: AccessTokens, token: string): Promise<ProblemError> {
  const answer = await tokens.verify(token).catch((error: unknown) => error);
  if (answer instanceof ProblemError) return answer;
  throw new Error('the token is accepted, or failed otherwise', { cause: answer });
}

let issuer: CiIssuer;

beforeEach(async () => {
  issuer = await startCiIssuer();
  return () => issuer.stop();
});

/** Lets time pass for the log. */
function passSeconds(seconds: number): void {
  const real = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + seconds * 1_000);
  onTestFinished(() => clock.mockRestore());
}

const now = () => Math.floor(Date.now() / 1_000);
type Refused = readonly [reason: string, make: () => Promise<string> | string, findings: object];

const REFUSED: readonly Refused[] = [
  ['expired', () => issuer.token({ exp: now() - 60 }), {}],
  ['not valid yet', () => issuer.token({ nbf: now() + 60 }), {}],
  ['wrong claim exp', () => issuer.token({ exp: undefined }), {}],
  [
    'wrong audience',
    () => issuer.token({ aud: ['account', 'other'] }),
    { audienceFound: 'account other', audienceExpected: CI_AUDIENCE },
  ],
  ['wrong audience', () => issuer.token({ aud: undefined }), { audienceFound: '' }],
  [
    'wrong issuer',
    () => issuer.token({ iss: 'https://user:secret@id.example.com/realms/a?x=y' }),
    { issuerFound: 'https://id.example.com/realms/a' },
  ],
  ['wrong issuer', () => issuer.token({ iss: 'a text' }), { issuerFound: 'no address' }],
  ['opaque token', () => 'v1.local.opaque', {}],
  ['opaque token', () => 'eAccessToken1234567890', {}],
  ['encrypted token', () => 'a.b.c.d.e', {}],
  ['unknown key', async () => issuer.token({}, { key: await makeCiKey('unknown') }), {}],
  [
    'wrong signature',
    async () => issuer.token({}, { key: await makeCiKey('x'), header: { kid: 'first' } }),
    {},
  ],
  ['no subject', () => issuer.token({ sub: undefined }), {}],
  ['no subject', () => issuer.token({ sub: '' }), {}],
  ['no subject', () => issuer.token({ sub: 'a'.repeat(256) }), {}],
  ['no subject', () => issuer.token({ sub: 'a\0b' }), {}],
];

describe.each(REFUSED)('a token is refused with 401 and one line in the log: %s', (reason, make, findings) =>
  test('the line has the reason and no token, and the answer says what is wrong', async () => {
    const { tokens, lines } = tokensOf(issuer.url);
    const token = await make();
    const { code, message } = await refusal(tokens, token);
    expect(code).toBe('auth-token-invalid');
    expect(message).toMatch(/^The access token (?:has expired|is not valid for this service: .+)\.$/);
    expect(lines).toMatchObject([{ level: 40, msg: 'identity refused', reason, suppressed: 0, ...findings }]);
    expect(JSON.stringify(lines)).not.toContain(token);
    expect(JSON.stringify(lines)).not.toContain('secret');
  }),
);

test('a token from another issuer is named so, though its key is unknown here', async () => {
  const other = await startCiIssuer();
  onTestFinished(() => other.stop());
  const { tokens, lines } = tokensOf(issuer.url);
  await refusal(tokens, await other.token());
  expect(lines).toMatchObject([
    { reason: 'wrong issuer', issuerFound: other.url, issuerExpected: issuer.url },
  ]);
});

test('of many refusals for one reason one line in ten seconds is logged, with the number of the others', async () => {
  const { tokens, lines } = tokensOf(issuer.url);
  for (let i = 0; i < 5; i += 1) await refusal(tokens, 'opaque');
  await refusal(tokens, await issuer.token({ exp: now() - 60 }));
  expect(lines.map(({ reason }) => reason)).toEqual(['opaque token', 'expired']);
  passSeconds(11);
  await refusal(tokens, 'opaque');
  expect(lines.at(-1)).toMatchObject({ reason: 'opaque token', suppressed: 4 });
});

test('an issuer that is down at the start is found when it is up: 503 until then, and the log says what to do', async () => {
  const token = await issuer.token();
  const down = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => down.once('listening', resolve));
  const port = portOf(down);
  await new Promise((resolve) => down.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  const { tokens, lines } = tokensOf(url);
  const { code, extras } = await refusal(tokens, token);
  expect([code, extras.headers]).toEqual(['unavailable', { 'Retry-After': '5' }]);
  expect(lines).toMatchObject([
    { reason: 'issuer unreachable', problem: expect.stringContaining('Nothing listens') as string },
  ]);
  expect(lines[0]?.['advice']).toBe(
    `Nothing listens at ${url}/.well-known/openid-configuration. Start the server, or correct AUTH_ISSUER.`,
  );
  const up = createServer((request, response) => {
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    response.end(
      JSON.stringify(isDiscovery ? { issuer: url, jwks_uri: `${url}/jwks` } : { keys: issuer.keys }),
    );
  }).listen(port, '127.0.0.1');
  onTestFinished(() => {
    up.closeAllConnections();
    up.close();
  });
  expect((await tokens.verify(await issuer.token({ iss: url }))).subject).toContain('repo:acme');
});

test.each([
  [
    'a slash at the end',
    (url: string) => `${url}/`,
    /Set AUTH_ISSUER=http:\/\/127\.0\.0\.1:\d+, with exactly its slash/,
  ],
  [
    'another path',
    (url: string) => `${url}/realms/wrong`,
    /answers with 404\. Check the path in AUTH_ISSUER/,
  ],
])('%s in AUTH_ISSUER: 503, and the log names the setting', async (_what, change, advice) => {
  issuer.answer = (request, response) => {
    const isKnown = request.url === '/.well-known/openid-configuration';
    response.statusCode = isKnown ? 200 : 404;
    response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` }));
  };
  const { tokens, lines } = tokensOf(change(issuer.url));
  expect((await refusal(tokens, await issuer.token())).code).toBe('unavailable');
  expect(lines[0]?.['advice']).toMatch(advice);
});

test.each([
  ['HTML', '<!doctype html>', /does not answer with a JSON object/],
  ['a list', '[]', /does not answer with a JSON object/],
  ['null', 'null', /does not answer with a JSON object/],
  ['no keys', null, /has no jwks_uri/],
])('an issuer that answers with %s: 503', async (_what, body, advice) => {
  issuer.answer = (_request, response) => {
    response.end(body ?? JSON.stringify({ issuer: issuer.url }));
  };
  const { tokens, lines } = tokensOf(issuer.url);
  expect((await refusal(tokens, await issuer.token())).code).toBe('unavailable');
  expect(lines[0]?.['advice']).toMatch(advice);
});

/** Lets time pass for the process's clock, by which it bounds fetches. */
function passMs(ms: number): void {
  const real = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + ms);
  onTestFinished(() => clock.mockRestore());
}

test('after a rotation of keys tokens with the new key are accepted within seconds, and the old key is not', async () => {
  const { tokens } = tokensOf(issuer.url);
  await tokens.verify(await issuer.token());
  const key = await makeCiKey('second');
  issuer.keys = [key.jwk];
  const token = await issuer.token({}, { key });
  expect((await refusal(tokens, token)).code).toBe('auth-token-invalid');
  passMs(6_000);
  expect((await tokens.verify(token)).subject).toContain('repo:acme');
  expect((await refusal(tokens, await issuer.token({ jti: 'new' }))).code).toBe('auth-token-invalid');
});

test('keys that moved to another address are found by the discovery document', async () => {
  const { tokens } = tokensOf(issuer.url);
  const key = await makeCiKey('second');
  let path = '/jwks';
  issuer.answer = (request, response) => {
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    if (!isDiscovery && request.url !== path) response.statusCode = 404;
    const keys = [{ ...key.jwk }, issuer.key.jwk];
    response.end(
      JSON.stringify(isDiscovery ? { issuer: issuer.url, jwks_uri: issuer.url + path } : { keys }),
    );
  };
  await tokens.verify(await issuer.token());
  path = '/keys';
  passMs(3_600_000);
  expect((await tokens.verify(await issuer.token())).subject).toContain('repo:acme');
});

test('a key that cannot verify anything is not the issuer being away', async () => {
  const { tokens } = tokensOf(issuer.url);
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  issuer.keys = [{ ...(await exportJWK(publicKey)), kid: 'first', alg: 'RS256' }];
  expect((await refusal(tokens, await issuer.token())).code).toBe('auth-token-invalid');
});
