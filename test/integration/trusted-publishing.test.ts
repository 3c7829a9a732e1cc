import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CI_CLAIMS, startCiIssuer, type CiIssuer } from '../support/ci-issuer.ts';
import { exchange, LOOPBACK_ISSUERS, publishingModule, refusals } from '../support/publishing-module.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let issuer: CiIssuer;
let vendor: TestOrganization;

beforeAll(async () => {
  // Each test calls from an address of its own: the calls of one network are limited.
  app = await startTestApp({ settings: { ...LOOPBACK_ISSUERS, TRUST_PROXY: '1' } });
  issuer = await startCiIssuer();
  vendor = await app.organization();
});

afterAll(async () => {
  await app.stop();
  await issuer.stop();
});

const moduleOf = (claims?: Readonly<Record<string, string | number | boolean>>) =>
  publishingModule(app, vendor, issuer.url, claims);

test('a token of the publisher’s repository is exchanged for an access token of 15 minutes', async () => {
  const moduleId = await moduleOf();
  const answer = await exchange(app, moduleId, await issuer.token());
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    accessToken: expect.stringMatching(/^mmp_[\w-]{43}$/) as string,
    expiresIn: 900,
  });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const [row] = await app.api.database('publisher_tokens').where({ moduleId });
  expect(row).toMatchObject({
    ...{ organizationId: vendor.id, issuer: issuer.url, subject: 'repo:acme/soil:ref:refs/heads/main' },
    ...{ repository: 'acme/soil', commit: '4f2a91c7', run: '1234' },
  });
  expect(JSON.stringify(row)).not.toContain(answer.body.accessToken);
  const leftMs = (row as { expiresAt: Date }).expiresAt.getTime() - Date.now();
  expect(Math.abs(leftMs / 1_000 - 900)).toBeLessThan(60);
});

test('every exchange is in the audit log, with the run that it was for', async () => {
  const moduleId = await moduleOf();
  await exchange(app, moduleId, await issuer.token());
  const { body } = await app.as(vendor).get('/auditLog?limit=1');
  expect(body.items).toMatchObject([
    {
      action: 'trustedPublishing.exchanged',
      actor: `trusted-publisher ${new URL(issuer.url).host}/acme/soil@4f2a91c7`,
      moduleId,
      details: { issuer: issuer.url, repository: 'acme/soil', commit: '4f2a91c7', run: '1234' },
    },
  ]);
});

test('the module may be named in any letter case', async () => {
  const moduleId = await moduleOf();
  expect((await exchange(app, moduleId.toUpperCase(), await issuer.token())).status).toBe(200);
});

test('of two equal exchanges at once, exactly one succeeds, and neither does later', async () => {
  const moduleId = await moduleOf();
  const token = await issuer.token();
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(app, moduleId, token)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(401)]);
  expect((await exchange(app, moduleId, token)).status).toBe(401);
  const known = await app.api.database('publisher_tokens').where({ moduleId });
  expect(known).toHaveLength(1);
  const [last] = await refusals(app, vendor, moduleId);
  expect(last?.details['reason']).toBe('the token was exchanged before: its jti is known');
});

test('a token ID counts for its issuer: another issuer may use the same one', async () => {
  const other = await startCiIssuer();
  onTestFinished(() => other.stop());
  const jti = randomUUID();
  const first = await exchange(app, await moduleOf(), await issuer.token({ jti }));
  const moduleId = await publishingModule(app, vendor, other.url);
  expect([first.status, (await exchange(app, moduleId, await other.token({ jti }))).status]).toEqual([
    200, 200,
  ]);
});

test('a claim is compared by its JSON type: a number is not its text, a boolean is not its word', async () => {
  const claims = { ...CI_CLAIMS, repository_id: 74, is_protected: true };
  const statusOf = async (moduleId: string, replaced: object) =>
    (await exchange(app, moduleId, await issuer.token({ ...replaced }))).status;
  const moduleId = await moduleOf(claims);
  expect(await statusOf(moduleId, claims)).toBe(200);
  expect(await statusOf(moduleId, { repository_id: '74', is_protected: true })).toBe(401);
  expect(await statusOf(moduleId, { repository_id: 74, is_protected: 'true' })).toBe(401);
  expect(await statusOf(moduleId, { repository_id: 74, is_protected: 1 })).toBe(401);
  expect(await statusOf(await moduleOf(), { repository_id: 74 })).toBe(401);
});

test('of several publishers of a module, one must be equal in everything: they are not mixed', async () => {
  const moduleId = await moduleOf();
  const { body } = await app.as(vendor).get(`/trustedPublishers/${moduleId}`);
  const [first] = body.items as { claims: object }[];
  const items = [first, { ...first, audience: 'other', claims: { ...CI_CLAIMS, repository_id: '75' } }];
  await app.as(vendor).put(`/trustedPublishers/${moduleId}`, { items });
  const statusOf = async (claims: object) =>
    (await exchange(app, moduleId, await issuer.token({ ...claims }))).status;
  expect(await statusOf({ repository_id: '75', aud: 'other' })).toBe(200);
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ repository_id: '75' })).toBe(401);
  expect(await statusOf({ aud: 'other' })).toBe(401);
});

test('an unknown module, a module without publishers and a bad token have the same answer', async () => {
  const bare = await publishingModule(app, vendor, 'https://ci.example.com');
  const answers = [
    await exchange(app, randomUUID(), await issuer.token()),
    await exchange(app, bare, await issuer.token()),
    await exchange(app, await moduleOf(), await issuer.token({ repository_id: '75' })),
    await exchange(app, await moduleOf(), 'garbage'),
    await exchange(app, await moduleOf(), await issuer.token({ iss: 'https://ci.example.com\0' })),
    await exchange(app, await moduleOf(), await issuer.token({ iss: 'https://ci.example.com\ud800' })),
  ];
  const shown = answers.map(({ status, headers, body }) => {
    const rest = { ...(body as object), traceId: null };
    return { status, challenge: headers.get('www-authenticate'), ...rest };
  });
  expect(new Set(shown.map((each) => JSON.stringify(each))).size, JSON.stringify(shown)).toBe(1);
  expect(shown[0]).toMatchObject({ status: 401, type: '/problems/auth-token-invalid' });
});

describe('the audit log', () => {
  test('has the reason of a refusal, and the run where the issuer signed it', async () => {
    const moduleId = await moduleOf();
    await exchange(app, moduleId, await issuer.token({ ref: 'refs/heads/dev', aud: 'other' }));
    const [entry] = await refusals(app, vendor, moduleId);
    expect(entry).toMatchObject({
      actor: `trusted-publisher ${new URL(issuer.url).host}/acme/soil@4f2a91c7`,
      details: { reason: "other than the publisher's: aud, ref", repository: 'acme/soil', run: '1234' },
    });
  });

  test('records nothing for an issuer that the module does not trust', async () => {
    const moduleId = await publishingModule(app, vendor, 'https://ci.example.com');
    await exchange(app, moduleId, await issuer.token());
    expect(await refusals(app, vendor, moduleId)).toEqual([]);
  });

  test('is not filled by strangers, who cannot hide the vendor’s own refusals either', async () => {
    const moduleId = await moduleOf();
    for (let i = 0; i < 12; i += 1) {
      await exchange(app, moduleId, await issuer.token({ repository_id: `9${i}`, repository: 'evil/soil' }));
      await exchange(app, moduleId, `${(await issuer.token()).slice(0, -8)}AAAAAAAA`);
    }
    await exchange(app, moduleId, await issuer.token({ ref: 'refs/heads/dev' }));
    const entries = await refusals(app, vendor, moduleId);
    expect(entries).toHaveLength(7);
    expect(entries[0]?.details).toMatchObject({
      repository: 'acme/soil',
      reason: "other than the publisher's: ref",
    });
  });

  test('shows what a stranger chose without characters that change its display', async () => {
    const moduleId = await moduleOf();
    await exchange(
      app,
      moduleId,
      await issuer.token({ repository: `evil\u202e\n${'a'.repeat(999)}`, repository_id: '1' }),
    );
    const [entry] = await refusals(app, vendor, moduleId);
    expect(entry?.details['repository']).toBe(`evil\\u{202e}\\u{a}${'a'.repeat(194)}`);
  });
});

test('the exchanges of one network are limited; another network’s are not', async () => {
  const from = async (address: string) =>
    app.fetch('/api/v8.0/trusted-publishing/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ token: 'garbage', moduleId: randomUUID() }),
    });
  const statuses: number[] = [];
  for (let i = 0; i < 61; i += 1) statuses.push((await from(`2001:db8:0:7::${i.toString(16)}`)).status);
  expect(statuses).toEqual([...Array<number>(60).fill(401), 429]);
  expect((await from('2001:db8:0:8::1')).status).toBe(401);
});

test('an issuer that the operator no longer allows is refused, and the audit log says so', async () => {
  const { DATABASE_URL = '', DATA_DIR = '' } = app.environment;
  const moduleId = await moduleOf();
  const settings = {
    ...LOOPBACK_ISSUERS,
    ...{ DATABASE_URL, DATA_DIR },
    TRUSTED_PUBLISHING_ISSUERS: 'https://gitlab.com',
  };
  const strict = await startTestApp({ settings, worker: false });
  expect((await exchange(strict, moduleId, await issuer.token())).status).toBe(401);
  await strict.stop();
  const [entry] = await refusals(app, vendor, moduleId);
  expect(entry?.details['reason']).toBe('the operator does not allow the issuer');
});
