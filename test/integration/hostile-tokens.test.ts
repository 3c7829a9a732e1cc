import { createHmac, randomUUID } from 'node:crypto';
import { CompactEncrypt, CompactSign, exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CI_AUDIENCE,
  CI_CLAIMS,
  makeCiKey,
  startCiIssuer,
  type CiIssuer,
  type CiKey,
} from '../support/ci-issuer.ts';
import { exchange, LOOPBACK_ISSUERS, publishingModule, refusals } from '../support/publishing-module.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let issuer: CiIssuer;
/** An issuer that the module does not trust. */
let other: CiIssuer;
let stranger: CiKey;
let vendor: TestOrganization;
/** It trusts the issuer's repository. */
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp({ settings: { ...LOOPBACK_ISSUERS, TRUST_PROXY: '1' } });
  issuer = await startCiIssuer();
  other = await startCiIssuer();
  stranger = await makeCiKey('stranger');
  vendor = await app.organization();
  moduleId = await publishingModule(app, vendor, issuer.url);
});

afterAll(async () => {
  await app.stop();
  await issuer.stop();
  await other.stop();
});

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1_000);

/** A token whose signature is not the issuer's. */
function unsigned(header: object, payload: unknown = issuer.claims(), signature = ''): string {
  return `${part(header)}.${part(payload)}.${signature}`;
}

/** A token that takes the issuer's public key for a shared secret. */
async function hmacOfPublicKey(): Promise<string> {
  const key = await importJWK(issuer.key.jwk, 'RS256', { extractable: true });
  if (key instanceof Uint8Array) throw new Error('the key is not public');
  const signed = `${part({ alg: 'HS256', typ: 'JWT', kid: 'first' })}.${part(issuer.claims())}`;
  const signature = createHmac('sha256', await exportSPKI(key))
    .update(signed)
    .digest('base64url');
  return `${signed}.${signature}`;
}

async function encrypted(): Promise<string> {
  const key = await importJWK(issuer.key.jwk, 'RSA-OAEP-256');
  return new CompactEncrypt(Buffer.from(await issuer.token()))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'first' })
    .encrypt(key);
}

/** A payload that the issuer signed, as this text. */
async function signedText(payload: string): Promise<string> {
  return new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: 'first' })
    .sign(issuer.key.privateKey);
}

/** Replaces a part of a token, whose signature then is of something else. */
async function changed(index: number, value: unknown): Promise<string> {
  const parts = (await issuer.token()).split('.');
  parts[index] = part(value);
  return parts.join('.');
}

/** Tokens that must not be exchanged, by what is wrong with them. */
const HOSTILE: Readonly<Record<string, () => Promise<string> | string>> = {
  // Its form.
  'an empty text': () => '',
  garbage: () => 'garbage',
  'three parts that are not JSON': () => `${part('a')}.${part('b')}.${part('c')}`,
  'a header that is a list': () => unsigned([], issuer.claims(), 'AAAA'),
  'a payload that is a list': () => unsigned({ alg: 'RS256', kid: 'first' }, [], 'AAAA'),
  'a payload that is null': () => unsigned({ alg: 'RS256', kid: 'first' }, null, 'AAAA'),
  'a signed token with a fourth part': async () => `${await issuer.token()}.AAAA`,
  'a signed token with spaces': async () => ` ${await issuer.token()} `,
  'a signed token of more than 16 KiB': () => issuer.token({ padding: 'a'.repeat(16_384) }),
  'an encrypted token': encrypted,
  'an access token of the service’s own issuer': async () =>
    (await app.bearer({ organizations: [{ id: vendor.id, roles: ['OrganizationAdmin'] }] })).slice(7),
  // Its algorithm and its key.
  'alg none': () => unsigned({ alg: 'none', typ: 'JWT' }),
  'alg none with a signature': () => unsigned({ alg: 'none', kid: 'first' }, issuer.claims(), 'AAAA'),
  'alg None': () => unsigned({ alg: 'None', kid: 'first' }, issuer.claims(), 'AAAA'),
  'HS256 with the public key': hmacOfPublicKey,
  'an algorithm that the key is not for': () => changed(0, { alg: 'PS256', typ: 'JWT', kid: 'first' }),
  'an empty signature': () => unsigned({ alg: 'RS256', kid: 'first' }),
  'a signature of another key with the same kid': () =>
    issuer.token({}, { key: stranger, header: { kid: 'first' } }),
  'a kid that the issuer does not have': () => issuer.token({}, { key: stranger }),
  'no kid': () => issuer.token({}, { header: { kid: undefined } }),
  'a kid that is a path': () => issuer.token({}, { header: { kid: '../../etc/passwd' } }),
  'jku with other keys': () =>
    issuer.token({}, { key: stranger, header: { kid: 'first', jku: `${other.url}/jwks` } }),
  'jku, but signed by the issuer': () => issuer.token({}, { header: { jku: `${issuer.url}/jwks` } }),
  'x5u with another certificate': () =>
    issuer.token({}, { key: stranger, header: { kid: 'first', x5u: `${other.url}/cert` } }),
  'its own key in its header': () =>
    issuer.token({}, { key: stranger, header: { kid: 'first', jwk: stranger.jwk } }),
  'x5c with another certificate': () =>
    issuer.token({}, { key: stranger, header: { kid: 'first', x5c: ['AAAA'] } }),
  'an unknown critical header': () => changed(0, { alg: 'RS256', kid: 'first', crit: ['exp'], exp: 1 }),
  'a payload that is not encoded': () =>
    changed(0, { alg: 'RS256', kid: 'first', crit: ['b64'], b64: false }),
  'another typ: an access token': () => issuer.token({}, { header: { typ: 'at+jwt' } }),
  'another typ: a logout token': () => issuer.token({}, { header: { typ: 'logout+jwt' } }),
  'a typ that is a list': () => changed(0, { alg: 'RS256', kid: 'first', typ: ['JWT'] }),
  'a changed payload': () => changed(1, issuer.claims({ repository_id: '74' })),
  // The issuer and the audience.
  'another issuer, which signed it': () => other.token(),
  'the issuer’s name, signed by another issuer': () => other.token({ iss: issuer.url }),
  'its issuer with a trailing slash': () => issuer.token({ iss: `${issuer.url}/` }),
  'its issuer in capitals': () => issuer.token({ iss: issuer.url.toUpperCase() }),
  'no issuer': () => issuer.token({ iss: undefined }),
  'a list of issuers': () => issuer.token({ iss: [issuer.url] }),
  'another audience': () => issuer.token({ aud: 'https://other.example.com' }),
  'its audience with a trailing slash': () => issuer.token({ aud: `${CI_AUDIENCE}/` }),
  'a list of audiences that contains the right one': () => issuer.token({ aud: [CI_AUDIENCE, 'other'] }),
  'no audience': () => issuer.token({ aud: undefined }),
  'an empty list of audiences': () => issuer.token({ aud: [] }),
  // Its time.
  'an expired token': () => issuer.token({ exp: now() - 60 }),
  'a token that is not valid yet': () => issuer.token({ nbf: now() + 60 }),
  'a token of the future': () => issuer.token({ iat: now() + 60, exp: now() + 300 }),
  'a token of an hour ago': () => issuer.token({ iat: now() - 3_660, exp: now() + 300 }),
  'a token for two days': () => issuer.token({ exp: now() + 172_800 }),
  'a token for ever': () => issuer.token({ exp: 1e300 }),
  'a token that expired before it was issued': () => issuer.token({ iat: now() + 20, exp: now() + 10 }),
  'no exp': () => issuer.token({ exp: undefined }),
  'no nbf': () => issuer.token({ nbf: undefined }),
  'no iat': () => issuer.token({ iat: undefined }),
  'exp as a text': () => issuer.token({ exp: String(now() + 300) }),
  'iat as a text': () => issuer.token({ iat: String(now()) }),
  'nbf as null': () => issuer.token({ nbf: null }),
  // Its ID.
  'no jti': () => issuer.token({ jti: undefined }),
  'an empty jti': () => issuer.token({ jti: '' }),
  'a jti that is too long': () => issuer.token({ jti: 'a'.repeat(256) }),
  'a jti that is a number': () => issuer.token({ jti: 7 }),
  'a jti with a NUL': () => issuer.token({ jti: 'a\0b' }),
  'a jti with half a character': () => issuer.token({ jti: 'a\ud800' }),
  // Its claims.
  'another repository': () => issuer.token({ repository_id: '75' }),
  'a number where the publisher has a text': () => issuer.token({ repository_id: 74 }),
  'a text that begins alike': () => issuer.token({ repository_id: '740' }),
  'a text with spaces': () => issuer.token({ repository_id: ' 74 ' }),
  'a list with the right value': () => issuer.token({ repository_id: ['74'] }),
  'a nested claim': () => issuer.token({ repository_id: undefined, claims: { repository_id: '74' } }),
  'a missing claim': () => issuer.token({ repository_id: undefined }),
  'a claim that is null': () => issuer.token({ repository_id: null }),
  'another letter case of a name': () => issuer.token({ repository_id: undefined, Repository_ID: '74' }),
  'another branch': () => issuer.token({ ref: 'refs/heads/main2' }),
  'a tag of the same name': () => issuer.token({ ref: 'refs/tags/main' }),
  'a claim by way of the prototype': () => {
    const rest = JSON.stringify(issuer.claims({ repository_id: undefined, ref: undefined }));
    return signedText(`{"__proto__":${JSON.stringify(CI_CLAIMS)},${rest.slice(1)}`);
  },
  'a number that JSON rounds': () => {
    const rest = JSON.stringify(issuer.claims({ repository_id: undefined }));
    return signedText(`{"repository_id":9007199254740993,${rest.slice(1)}`);
  },
};

test('the corpus is as large as it should be', () =>
  expect(Object.keys(HOSTILE).length).toBeGreaterThanOrEqual(30));

let callers = 0;

/** Exchanges a token from an address of its own: the calls of one network are limited. */
async function tryToken(token: string, of = moduleId) {
  callers += 1;
  return app.fetch('/api/v8.0/trusted-publishing/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `198.51.100.${callers}` },
    body: JSON.stringify({ token, moduleId: of }),
  });
}

test.each(Object.entries(HOSTILE))('%s is refused, in the same words', async (_what, make) => {
  const countTokens = async () => (await app.api.database('publisher_tokens').where({ moduleId })).length;
  const tokens = await countTokens();
  const answer = await tryToken(await make());
  expect(answer.status, answer.text).toBe(401);
  expect(answer.body.detail).toBe('The token cannot be exchanged for this module.');
  expect(await countTokens()).toBe(tokens);
  expect(other.requests, 'an issuer that a token named').toEqual([]);
  // The next one, from the same repository, is as good as ever.
  expect((await tryToken(await issuer.token())).status).toBe(200);
});

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'a publisher with the claim %s accepts no token that only inherits it',
  async (name) => {
    const theirs = await publishingModule(app, vendor, issuer.url, { ...CI_CLAIMS, [name]: 'x' });
    expect((await tryToken(await issuer.token(), theirs)).status).toBe(401);
    expect((await tryToken(await issuer.token({ [name]: 'x' }), theirs)).status).toBe(200);
  },
);

test('a token for the publisher of another module does not import this one', async () => {
  const another = await app.organization();
  const theirs = await publishingModule(app, another, issuer.url, { ...CI_CLAIMS, repository_id: '99' });
  expect((await tryToken(await issuer.token(), theirs)).status).toBe(401);
  expect((await tryToken(await issuer.token({ repository_id: '99' }))).status).toBe(401);
  const [entry] = await refusals(app, another, theirs);
  expect(entry?.details).toMatchObject({ repository: 'acme/soil' });
});

test.each([
  ['no token', { moduleId: randomUUID() }],
  ['a token that is a number', { token: 7, moduleId: randomUUID() }],
  ['a module ID that is not a GUID', { token: 'x', moduleId: 'x' }],
  ['another member', { token: 'x', moduleId: randomUUID(), issuer: 'x' }],
])('a body with %s is refused as a body', async (_what, body) => {
  const answer = await app.fetch('/api/v8.0/trusted-publishing/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '203.0.113.1' },
    body: JSON.stringify(body),
  });
  expect([answer.status, answer.body.type]).toEqual([400, '/problems/request-invalid']);
});

test('a body of more than 64 KiB is not read', async () => {
  const answer = await exchange(app, randomUUID(), 'a'.repeat(70_000));
  expect(answer.status).toBe(413);
});
