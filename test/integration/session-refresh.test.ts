import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  claimRefresh,
  endRefusedSession,
  postponeRefresh,
  storeTokens,
  type RefreshClaim,
} from '../../shared/db/access/sessions/session-tokens.ts';
import { useSession } from '../../shared/db/access/sessions/sessions.ts';
import { hashOfSecret } from '../../shared/db/access/secrets.ts';
import { startIssuerApp, type IssuerApp } from '../support/issuer-app.ts';

let stack: IssuerApp;

beforeAll(async () => {
  stack = await startIssuerApp();
});

afterAll(() => stack.stop());

const EXPIRED = { lifetimeSeconds: -600 };

async function statusOf(Cookie: string, url = stack.app.url): Promise<number> {
  return (await fetch(new URL('/portal/api/operations/backlog', url), { headers: { Cookie } })).status;
}

function hashOf(cookie: string): Buffer {
  return hashOfSecret(cookie.replace('module_session=', ''));
}

function rowOf(cookie: string) {
  return stack.app.api.database('sessions').where({ tokenSha256: hashOf(cookie) });
}

/** Rows have milliseconds: what is due now may be due half a millisecond later. */
const DUE_MS = -1_000;

/** Makes a session's refresh due in this number of milliseconds, by the database's clock. */
async function refreshIn(cookie: string, ms: number): Promise<void> {
  const { database } = stack.app.api;
  await rowOf(cookie).update({ refreshAt: database.raw("now() + ? * interval '1 millisecond'", [ms]) });
}

test('an expired access token is refreshed, and the session goes on', async () => {
  const cookie = await stack.session(EXPIRED);
  expect(await statusOf(cookie)).toBe(200);
});

test('requests at once in two processes use each refresh token once, although its second use ends the sign-in', async () => {
  const another = await stack.startAnother();
  const cookie = await stack.session(EXPIRED);
  for (let round = 0; round < 4; round += 1) {
    const urls = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? stack.app.url : another.url));
    const statuses = await Promise.all(urls.map((url) => statusOf(cookie, url)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await refreshIn(cookie, DUE_MS);
  }
  await another.stop();
});

test('while another process refreshes, a request goes on with a token that is still valid', async () => {
  const cookie = await stack.session();
  await refreshIn(cookie, 3_600_000);
  expect(await statusOf(cookie)).toBe(200);
});

test('a request without a valid token waits for the process that refreshes, and refreshes if that one dies', async () => {
  const cookie = await stack.session(EXPIRED);
  await refreshIn(cookie, 700);
  expect(await statusOf(cookie)).toBe(200);
});

test('a session ends when the issuer refuses to refresh it', async () => {
  const signInId = randomUUID();
  const first = await stack.session({ ...EXPIRED, signInId });
  const { database } = stack.app.api;
  const [row] = await rowOf(first).select<{ sealedRefreshToken: Buffer }[]>('sealedRefreshToken');
  expect(await statusOf(first)).toBe(200);
  // As if the process had died after the issuer had rotated the token and before the new one was stored.
  await rowOf(first).update({
    sealedRefreshToken: row?.sealedRefreshToken,
    refreshAt: database.raw('now()'),
  });
  expect(await statusOf(first)).toBe(401);
  expect(await rowOf(first).select('id')).toEqual([]);
});

test('while the issuer is unavailable a valid token is used; an expired one is 503 and not the end of the session', async () => {
  const own = await startIssuerApp();
  const status = async (Cookie: string) =>
    (await own.app.fetch('/portal/api/operations/backlog', { headers: { Cookie } })).status;
  const valid = await own.session();
  const expired = await own.session(EXPIRED);
  expect(await status(await own.session())).toBe(200);
  await own.stopIssuer();
  expect([await status(valid), await status(expired)]).toEqual([200, 503]);
  await own.startIssuer();
  await expect.poll(() => status(expired)).toBe(200);
  await own.stop();
});

test('a session whose refresh token was encrypted with a lost key ends', async () => {
  const cookie = await stack.session(EXPIRED);
  const lost = Buffer.concat([Buffer.from([4]), Buffer.from('lost'), Buffer.alloc(60)]);
  await rowOf(cookie).update({ sealedRefreshToken: lost });
  expect(await statusOf(cookie)).toBe(401);
});

test('a process that was stopped during a refresh does not replace the tokens that another one has stored since', async () => {
  const cookie = await stack.session();
  const secret = cookie.replace('module_session=', '');
  const { database, encryptionKeys } = stack.app.api;
  const claim = async () => {
    await refreshIn(cookie, DUE_MS);
    return (await claimRefresh(database, encryptionKeys, secret, 60_000))!;
  };
  const store = (claimed: RefreshClaim, name: string) =>
    storeTokens(database, encryptionKeys, secret, claimed, {
      ...{ name, accessToken: name, refreshToken: name, idToken: null, lifetimeMs: 60_000 },
    });
  const [late, next] = [await claim(), await claim()];
  await store(next, 'newer');
  await store(late, 'older');
  await postponeRefresh(database, secret, late, 0);
  expect(await endRefusedSession(database, secret, late)).toBe(false);
  expect((await useSession(database, secret, { idleMinutes: 60, maxHours: 12 }))?.accessToken).toBe('newer');
  expect(await claimRefresh(database, encryptionKeys, secret, 60_000)).toBeNull();
});

test('the refresh token of one session is of no use in the row of another', async () => {
  const [one, other] = [await stack.session(EXPIRED), await stack.session(EXPIRED)];
  const [row] = await rowOf(one).select<{ sealedRefreshToken: Buffer }[]>('sealedRefreshToken');
  await rowOf(other).update({ sealedRefreshToken: row?.sealedRefreshToken });
  expect(await statusOf(other)).toBe(503);
});

test('the database shows no token', async () => {
  const cookie = await stack.session();
  const text = JSON.stringify(await rowOf(cookie).select('*'), (_, value: unknown) =>
    Buffer.isBuffer(value) ? value.toString('latin1') : value,
  );
  expect(text).not.toContain('eyJ');
  expect(text).not.toContain(cookie.replace('module_session=', ''));
});
