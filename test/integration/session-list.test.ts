import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { EndedAtIssuerError } from '../../shared/db/access/sessions/issuer-logouts.ts';
import { createSession, type NewSession } from '../../shared/db/access/sessions/sessions.ts';
import { endSessionsOfIssuer } from '../../shared/db/access/sessions/session-list.ts';
import { newSession, sessionCookie } from '../support/session-cookie.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const lines: string[] = [];
const test = serviceTest({
  worker: false,
  settings: { PORTAL_CLIENT_ID: 'module-portal' },
  onLog: (line) => lines.push(line),
});

/** A person with two sessions. */
async function person(app: TestApp) {
  const subject = randomUUID();
  const authorization = await app.bearer({ subject });
  const members = { subject, browser: 'Firefox', operatingSystem: 'Windows' };
  const cookies = [
    await sessionCookie(app, authorization, members),
    await sessionCookie(app, authorization, { subject }),
  ];
  const headers = { Authorization: authorization };
  const list = async () =>
    (await app.fetch('/api/v8.0/sessions', { headers })).body.items as { id: string }[];
  const end = async (path: string) =>
    (await app.fetch(`/api/v8.0/sessions${path}`, { method: 'DELETE', headers })).status;
  const idOf = async (Cookie = '') =>
    ((await app.fetch('/portal/session', { headers: { Cookie } })).body as { id: string } | null)?.id ?? null;
  return { subject, cookies, list, end, idOf };
}

test('people see their own sessions and no token', async ({ app }) => {
  const [one, other] = [await person(app), await person(app)];
  const items = await one.list();
  expect(items).toHaveLength(2);
  expect(items).toContainEqual(expect.objectContaining({ browser: 'Firefox', operatingSystem: 'Windows' }));
  expect(items).toContainEqual(expect.objectContaining({ browser: null, operatingSystem: null }));
  expect(Object.keys(items[0] ?? {}).toSorted()).toEqual(
    ['browser', 'expiresAt', 'id', 'lastUsedAt', 'operatingSystem', 'signedInAt'].toSorted(),
  );
  expect((await other.list()).map(({ id }) => id)).not.toContain(items[0]?.id);
});

test('a session that is ended is refused at once, the others go on', async ({ app }) => {
  const { cookies, end, idOf } = await person(app);
  expect(await end(`/${(await idOf(cookies[0])) ?? ''}`)).toBe(204);
  expect([await idOf(cookies[0]), await idOf(cookies[1])]).toEqual([null, expect.any(String)]);
});

test('all other sessions are ended, or all', async ({ app }) => {
  const { cookies, end, idOf, list } = await person(app);
  const own = (await idOf(cookies[1])) ?? '';
  expect(await end(`?except=${own.toUpperCase()}`)).toBe(204);
  expect((await list()).map(({ id }) => id)).toEqual([own]);
  expect(await end('')).toBe(204);
  expect(await list()).toEqual([]);
});

test("another person's session is not found", async ({ app }) => {
  const [one, other] = [await person(app), await person(app)];
  const [item] = await one.list();
  expect(await other.end(`/${item?.id ?? ''}`)).toBe(404);
  expect(await one.list()).toHaveLength(2);
});

test('a session ends without requests after the idle limit; each request moves it, up to the absolute limit', async ({
  app,
}) => {
  const { database, encryptionKeys } = app.api;
  const session = newSession(await app.bearer({}), { refreshToken: 'r', lifetimeMs: 3_600_000 });
  const secret = await createSession(database, encryptionKeys, session, { idleMinutes: 60, maxHours: 12 });
  const Cookie = `module_session=${secret}`;
  const row = database('sessions').where({ subject: session.subject }).orderBy('createdAt', 'desc');
  const minutesLeft = async () => {
    const { left } = await row
      .clone()
      .first<{ left: string }>(database.raw('round(extract(epoch from expires_at - now()) / 60) as left'));
    return Number(left);
  };
  const statusOf = async () => (await app.fetch('/portal/api/sessions', { headers: { Cookie } })).status;
  const { id } = await row.clone().first<{ id: string }>('id');
  const set = (members: string) => database.raw(`update sessions set ${members} where id = ?`, [id]);
  await set("expires_at = now() + interval '5 minutes', last_used_at = now() - interval '55 minutes'");
  expect([await statusOf(), await minutesLeft()]).toEqual([200, 60]);
  await set("ends_at = now() + interval '10 minutes', last_used_at = now() - interval '55 minutes'");
  expect([await statusOf(), await minutesLeft()]).toEqual([200, 10]);
  await set("expires_at = now() - interval '1 second'");
  expect(await statusOf()).toBe(401);
});

test('an issuer ends one session by its ID there, or all of a person, with each token once', async ({
  app,
}) => {
  const { database } = app.api;
  const sub = randomUUID();
  const [first, second] = [randomUUID(), randomUUID()];
  const authorization = await app.bearer({ subject: sub });
  for (const issuerSessionId of [first, second, null])
    await sessionCookie(app, authorization, { subject: sub, issuerSubject: sub, issuerSessionId });
  const ended = (jti: string, issuerSessionId: string | null, issuerSubject: string | null = sub) =>
    endSessionsOfIssuer(database, {
      ...{ issuer: 'https://id.example', jti, validForSeconds: 60, issuerSessionId, issuerSubject },
      issuedAt: new Date(),
    });
  expect(await ended('one', first)).toBe(1);
  expect(await ended('one', second)).toBe(null);
  expect(await ended('two', randomUUID())).toBe(0);
  expect(await ended('three', null)).toBe(2);
});

test('a session that the issuer ended while the person signed in does not start; another one does', async ({
  app,
}) => {
  const { database } = app.api;
  const [sub, issuerSessionId] = [randomUUID(), randomUUID()];
  const authorization = await app.bearer({ subject: sub });
  const issuedAt = new Date('2026-11-20T10:00:00Z');
  const end = (ended: { issuerSessionId: string | null; issuedAt: Date }) =>
    endSessionsOfIssuer(database, {
      ...{ issuer: 'https://id.example', jti: randomUUID(), validForSeconds: 60, issuerSubject: sub },
      ...ended,
    });
  const start = (members: Partial<NewSession>) =>
    sessionCookie(app, authorization, { subject: sub, issuerSubject: sub, issuedAt, ...members });
  await start({ issuerSessionId });
  expect(await end({ issuerSessionId, issuedAt })).toBe(1);
  await expect(start({ issuerSessionId })).rejects.toThrow(EndedAtIssuerError);
  await start({ issuerSessionId: randomUUID() });
  await start({ issuerSessionId: null });
  expect(await end({ issuerSessionId: null, issuedAt })).toBe(2);
  await expect(start({ issuerSessionId: randomUUID() })).rejects.toThrow(EndedAtIssuerError);
  await start({ issuerSessionId: randomUUID(), issuedAt: new Date(issuedAt.getTime() + 1_000) });
  await start({ issuerSessionId: null, issuerSubject: null, issuedAt: null });
});

test('of sessions that start while the issuer ends all of the person, none remains', async ({ app }) => {
  const { database } = app.api;
  const sub = randomUUID();
  const authorization = await app.bearer({ subject: sub });
  const issuedAt = new Date();
  const start = () =>
    sessionCookie(app, authorization, { subject: sub, issuerSubject: sub, issuedAt }).then(
      () => 'started',
      (error: unknown) => (error instanceof EndedAtIssuerError ? 'refused' : Promise.reject(error as Error)),
    );
  const before = Array.from({ length: 4 }, start);
  const ended = endSessionsOfIssuer(database, {
    ...{ issuer: 'https://id.example', jti: randomUUID(), validForSeconds: 60, issuerSessionId: null },
    ...{ issuerSubject: sub, issuedAt },
  });
  const beside = Array.from({ length: 4 }, start);
  const outcomes = await Promise.all([...before, ...beside]);
  expect(outcomes.filter((outcome) => outcome === 'started')).toHaveLength((await ended) ?? -1);
  expect(await database('sessions').where({ subject: sub })).toEqual([]);
});

test('a logout token that is none is 400, with nothing cached', async ({ app }) => {
  const answer = await fetch(`${app.url}/portal/sign-in/back-channel-logout`, {
    method: 'POST',
    body: new URLSearchParams({ token: 'x' }),
  });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store']);
  expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
});

test('refused sign-ins and logout tokens are logged once in ten seconds, whoever sends them', async ({
  app,
}) => {
  lines.length = 0;
  for (let index = 0; index < 20; index += 1) {
    await fetch(`${app.url}/portal/sign-in/callback?error=${index}`);
    await fetch(`${app.url}/portal/sign-in/back-channel-logout`, { method: 'POST' });
  }
  const refused = lines.filter((line) => line.includes('"msg":"identity refused"'));
  expect(refused.filter((line) => line.includes('"reason":"sign-in refused"'))).toHaveLength(1);
  expect(refused.filter((line) => line.includes('"reason":"logout token refused"')).length).toBeLessThan(2);
});
