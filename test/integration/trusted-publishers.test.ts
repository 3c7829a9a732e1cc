import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { importSample } from '../support/import-sample.ts';
import { serviceTest } from '../support/service-test.ts';
import { startTestApp } from '../support/test-app.ts';

const test = serviceTest();

const GITHUB = 'https://token.actions.githubusercontent.com';
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`claim_${i}`, '1']));

const PUBLISHER = {
  issuer: GITHUB,
  audience: 'https://modules.example.com',
  claims: { repository_id: '74', ref: 'refs/heads/main', run_attempt: 1, runner_trusted: true },
};

test('a list of publishers is stored as it was sent, and read by members', async ({ app, vendor }) => {
  const path = `/trustedPublishers/${await importSample(app, vendor)}`;
  expect((await app.as(vendor).get(path)).body).toEqual({ items: [] });
  const items = [PUBLISHER, { ...PUBLISHER, issuer: 'https://gitlab.com', claims: { project_id: '7' } }];
  const answer = await app.as(vendor).put(path, { items });
  expect([answer.status, answer.body]).toEqual([200, { items }]);
  expect((await app.as(vendor, vendor.member).get(path)).body).toEqual({ items });
  expect((await app.as(vendor, vendor.member).put(path, { items })).status).toBe(403);
  expect((await app.as(vendor).put(path, { items: [] })).body).toEqual({ items: [] });
});

test('each change has an entry in the audit log; the same list has none', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const path = `/trustedPublishers/${moduleId}`;
  for (const items of [[PUBLISHER], [PUBLISHER], []]) await app.as(vendor).put(path, { items });
  const { body } = await app.as(vendor).get('/auditLog');
  const entries = (body.items as { action: string; moduleId: string; details: object }[]).filter(
    (each) => each.moduleId === moduleId,
  );
  const text = JSON.stringify({
    audience: PUBLISHER.audience,
    claims: { ref: 'refs/heads/main', repository_id: '74', run_attempt: 1, runner_trusted: true },
    issuer: GITHUB,
  });
  expect(entries.map(({ action, details }) => [action, details])).toEqual([
    ['trustedPublishers.changed', { before: [text], after: [] }],
    ['trustedPublishers.changed', { before: [], after: [text] }],
  ]);
});

test('an entry in the audit log stays short, however long the list is', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const long = '"'.repeat(500);
  const claims = Object.fromEntries([...Object.keys(many(19)), 'sub'].map((name) => [name, long]));
  const items = Array.from({ length: 20 }, () => ({ ...PUBLISHER, claims }));
  const path = `/trustedPublishers/${moduleId}`;
  for (const list of [items, items.slice(1)]) {
    expect((await app.as(vendor).put(path, { items: list })).status).toBe(200);
    const { body } = await app.as(vendor).get('/auditLog?limit=1');
    const { before, after } = body.items[0].details as Record<'before' | 'after', string[]>;
    expect(after).toHaveLength(list.length);
    for (const text of [...before, ...after]) expect(text).toMatch(/^\{.{999}…$/);
  }
});

test('a module of another organization, a deleted and an unknown one have no publishers', async ({
  app,
  vendor,
}) => {
  const other = await app.organization();
  const deleted = await importSample(app, vendor);
  await app.as(vendor).delete(`/modules/${deleted}`);
  for (const moduleId of [await importSample(app, other), deleted, randomUUID()]) {
    const path = `/trustedPublishers/${moduleId}`;
    expect((await app.as(vendor).get(path)).status).toBe(404);
    expect((await app.as(vendor).put(path, { items: [PUBLISHER] })).status).toBe(404);
  }
});

test.for<[string, object, string]>([
  ['without a claim', { claims: {} }, '/items/0/claims'],
  ['without a claim that identifies a repository', { claims: { ref: 'refs/heads/main' } }, '/items/0/claims'],
  ['whose identifying claim is empty', { claims: { repository_id: ' ' } }, '/items/0/claims'],
  ['whose identifying claim is a boolean', { claims: { repository_id: true } }, '/items/0/claims'],
  ['with a claim that is checked anyway', { claims: { repository_id: '1', aud: 'x' } }, '/items/0/claims'],
  [
    'with a claim that is an object',
    { claims: { repository_id: { a: '1' } } },
    '/items/0/claims/repository_id',
  ],
  ['with a claim that is a list', { claims: { repository_id: ['1'] } }, '/items/0/claims/repository_id'],
  ['with a claim that is null', { claims: { repository_id: null } }, '/items/0/claims/repository_id'],
  ['with a fraction', { claims: { repository_id: 1.5 } }, '/items/0/claims/repository_id'],
  ['with a number that JSON rounds', { claims: { repository_id: 2 ** 53 } }, '/items/0/claims/repository_id'],
  ['with a long claim', { claims: { repository_id: '1'.repeat(501) } }, '/items/0/claims/repository_id'],
  ['with too many claims', { claims: { repository_id: '1', ...many(20) } }, '/items/0/claims'],
  [
    'with the name of a prototype',
    { claims: JSON.parse('{"__proto__":"1","sub":"x"}') as object },
    '/items/0/claims',
  ],
  ['with another member', { secret: 'x' }, '/items/0/secret'],
  ['without an audience', { audience: '' }, '/items/0/audience'],
  ['with a long audience', { audience: 'a'.repeat(256) }, '/items/0/audience'],
  ['of plain http', { issuer: 'http://gitlab.example.com' }, '/items/0/issuer'],
  ['of this machine', { issuer: 'https://127.0.0.1' }, '/items/0/issuer'],
  ['of a metadata address', { issuer: 'https://169.254.169.254' }, '/items/0/issuer'],
  ['of a name of the local network', { issuer: 'https://postgres' }, '/items/0/issuer'],
  ['with a query in its issuer', { issuer: `${GITHUB}/?a=b` }, '/items/0/issuer'],
  ['with a fragment in its issuer', { issuer: `${GITHUB}/#a` }, '/items/0/issuer'],
  ['with a password in its issuer', { issuer: 'https://me:secret@gitlab.com' }, '/items/0/issuer'],
  ['whose issuer is not in its normal form', { issuer: 'https://GitLab.com:443' }, '/items/0/issuer'],
  ['whose issuer is not a URL', { issuer: 'gitlab.com' }, '/items/0/issuer'],
  ['with a NUL', { audience: 'a\0' }, '/items/0/audience'],
])('a publisher %s is refused', async ([, members, pointer], { app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const answer = await app
    .as(vendor)
    .put(`/trustedPublishers/${moduleId}`, { items: [{ ...PUBLISHER, ...members }] });
  expect(answer.status, answer.text).toBe(400);
  const pointers = (answer.body.errors as { pointer: string }[]).map((each) => each.pointer);
  expect(
    pointers.some((each) => each.startsWith(pointer)),
    answer.text,
  ).toBe(true);
  expect((await app.as(vendor).get(`/trustedPublishers/${moduleId}`)).body).toEqual({ items: [] });
});

test('a module has at most twenty publishers', async ({ app, vendor }) => {
  const path = `/trustedPublishers/${await importSample(app, vendor)}`;
  const items = (count: number) => Array.from({ length: count }, () => PUBLISHER);
  expect((await app.as(vendor).put(path, { items: items(20) })).status).toBe(200);
  expect((await app.as(vendor).put(path, { items: items(21) })).status).toBe(400);
});

test('an operator may decide which issuers vendors may trust', async () => {
  const strict = await startTestApp({
    settings: { TRUSTED_PUBLISHING_ISSUERS: `${GITHUB}, https://gitlab.com` },
  });
  const vendor = await strict.organization();
  const path = `/trustedPublishers/${await importSample(strict, vendor)}`;
  expect((await strict.as(vendor).put(path, { items: [PUBLISHER] })).status).toBe(200);
  const other = await strict
    .as(vendor)
    .put(path, { items: [{ ...PUBLISHER, issuer: 'https://ci.example.com' }] });
  expect(other.body.errors).toMatchObject([
    {
      pointer: '/items/0/issuer',
      detail: `The operator allows only these issuers: ${GITHUB}, https://gitlab.com.`,
    },
  ]);
  await strict.stop();
});
