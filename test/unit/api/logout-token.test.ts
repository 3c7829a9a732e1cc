import { randomUUID } from 'node:crypto';
import { generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { LogoutTokenRefused, verifyLogoutToken } from '../../../api/auth/logout-token.ts';

const ISSUER = 'https://id.example';
const AUDIENCE = 'portal';
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };

let publicKey: CryptoKey;
let privateKey: CryptoKey;

beforeAll(async () => {
  ({ publicKey, privateKey } = await generateKeyPair('ES256'));
});

/** A logout token with other claims, of another type, or made at another time. */
async function verify(
  claims: Readonly<Record<string, unknown>> = {},
  { typ = 'logout+jwt', ageSeconds = 0 }: { readonly typ?: string | null; readonly ageSeconds?: number } = {},
) {
  const whole = {
    iss: ISSUER,
    aud: AUDIENCE,
    jti: randomUUID(),
    events: EVENTS,
    sid: 's',
    sub: 'p',
    ...claims,
  };
  const iat = Math.floor(Date.now() / 1_000) - ageSeconds;
  const token = await new SignJWT({ iat, ...whole })
    .setProtectedHeader({ alg: 'ES256', ...(typ !== null && { typ }) })
    .sign(privateKey);
  const keys = () => Promise.resolve(publicKey);
  return verifyLogoutToken(token, { issuer: ISSUER, audience: AUDIENCE, keys });
}

test('a logout token says which session ends, and whose', async () => {
  expect(await verify()).toMatchObject({ issuerSessionId: 's', issuerSubject: 'p' });
  expect(await verify({ sid: undefined })).toMatchObject({ issuerSessionId: null, issuerSubject: 'p' });
  expect(await verify({ sub: undefined })).toMatchObject({ issuerSessionId: 's', issuerSubject: null });
});

test.each([null, 'JWT', 'logout+jwt'])('its type may be %s', async (typ) => {
  expect(await verify({}, { typ })).toMatchObject({ issuerSessionId: 's' });
});

test.each([
  ['another issuer', { iss: 'https://other.example' }],
  ['another audience', { aud: 'another-client' }],
  ['a nonce, as an ID token has', { nonce: 'n' }],
  ['neither sid nor sub', { sid: undefined, sub: undefined }],
  ['no jti', { jti: undefined }],
  ['no iat', { iat: undefined }],
  ['no events', { events: undefined }],
  ['another event', { events: { 'https://example.com/other': {} } }],
  ['an event that is no object', { events: { [Object.keys(EVENTS)[0] ?? '']: true } }],
  ['an expiry in the past', { exp: 1_000 }],
] as const)('a token with %s is refused', async (_, claims) => {
  await expect(verify(claims)).rejects.toThrow(LogoutTokenRefused);
});

test.each(['at+jwt', 'secevent+jwt'])('a token of the type %s is refused', async (typ) => {
  await expect(verify({}, { typ })).rejects.toThrow(LogoutTokenRefused);
});

test('a token that is older than five minutes is refused', async () => {
  await expect(verify({}, { ageSeconds: 400 })).rejects.toThrow(LogoutTokenRefused);
});

test('a token with the signature of another key is refused', async () => {
  const before = privateKey;
  ({ privateKey } = await generateKeyPair('ES256'));
  await expect(verify()).rejects.toThrow(LogoutTokenRefused);
  privateKey = before;
});
