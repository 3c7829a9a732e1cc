import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/test-app.ts';
import type { Answer, TestApp } from '../support/test-app.ts';

let app: TestApp;
let operator: string;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  operator = await app.bearer({ operator: true });
});

afterAll(() => app.stop());

const organization = (members: object = {}) => ({
  name: 'Acme Irrigation',
  kind: 'vendor',
  tenantId: randomUUID(),
  ...members,
});

async function call(path: string, init: RequestInit = {}, authorization = operator): Promise<Answer> {
  return app.fetch(`/api/v8.0${path}`, {
    ...init,
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
  });
}

async function put(id: string, body: unknown, authorization?: string): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return call(`/organizations/${id}`, { method: 'PUT', body: text }, authorization);
}

const pointers = ({ body }: Answer) => (body.errors as { pointer: string }[]).map(({ pointer }) => pointer);

describe('PUT creates and renames', () => {
  test('a new organization is 201 and reads back as it was sent', async () => {
    const id = randomUUID();
    const sent = organization({ kind: 'farmer', name: 'Hof Grünau 🌾' });
    const created = await put(id, sent);
    expect(created.status, created.text).toBe(201);
    expect(created.body).toEqual({
      id,
      ...sent,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/) as string,
      updatedAt: created.body.createdAt as string,
    });
    expect((await call(`/organizations/${id}`)).body).toEqual(created.body);
  });

  test('the same again is 200 and changes nothing, its time neither', async () => {
    const id = randomUUID();
    const sent = organization();
    const created = await put(id, sent);
    const again = await put(id, sent);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(created.body);
  });

  test('another name renames it', async () => {
    const id = randomUUID();
    const sent = organization();
    await put(id, sent);
    const renamed = await put(id, { ...sent, name: 'Acme Water' });
    expect(renamed.status).toBe(200);
    expect((await call(`/organizations/${id}`)).body).toMatchObject({ ...sent, name: 'Acme Water' });
  });

  test('IDs are one in either letter case, and answered in lower case', async () => {
    const id = randomUUID();
    const sent = organization();
    const upper = { ...sent, tenantId: sent.tenantId.toUpperCase() };
    expect((await put(id.toUpperCase(), upper)).body).toMatchObject({ id, tenantId: sent.tenantId });
    expect((await put(id, sent)).status).toBe(200);
  });

  test('ten that create one organization at once: one 201, nine 200', async () => {
    const id = randomUUID();
    const sent = organization();
    const answers = await Promise.all(Array.from({ length: 10 }, () => put(id, sent)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(9).fill(200), 201]);
  });

  test.each([
    ['kind', { kind: 'farmer' }],
    ['tenant', { tenantId: randomUUID() }],
  ])('the %s never changes: 409 organization-fixed, and nothing is written', async (_, change) => {
    const id = randomUUID();
    const sent = organization();
    await put(id, sent);
    const refused = await put(id, { ...sent, ...change, name: 'Other' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ type: '/problems/organization-fixed' });
    expect((await call(`/organizations/${id}`)).body).toMatchObject(sent);
  });
});

describe('names', () => {
  test.each([
    ['200 letters', 'a'.repeat(200)],
    ['200 characters beyond the basic plane', '🌾'.repeat(200)],
    ['quotes and SQL', `O'Brien"; drop table organizations; --`],
    ['one character', 'ß'],
  ])('%s are stored exactly', async (_, name) => {
    const id = randomUUID();
    expect((await put(id, organization({ name }))).status).toBe(201);
    expect((await call(`/organizations/${id}`)).body.name).toBe(name);
  });

  test.each([
    ['201 letters', JSON.stringify('a'.repeat(201))],
    ['NUL', String.raw`"a\u0000b"`],
    ['a lone high surrogate', String.raw`"a\ud83cb"`],
    ['a lone low surrogate', String.raw`"\udf3e"`],
    ['nothing', '""'],
    ['blanks', String.raw`" \t\n\u00a0"`],
    ['a number', '7'],
    ['null', 'null'],
  ])('%s: 400 that points at the name, and nothing is written', async (_, name) => {
    const id = randomUUID();
    const body = `{"name":${name},"kind":"vendor","tenantId":"${randomUUID()}"}`;
    const refused = await put(id, body);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({ type: '/problems/request-invalid' });
    expect(new Set(pointers(refused))).toEqual(new Set(['/name']));
    expect((await call(`/organizations/${id}`)).status).toBe(404);
  });
});

describe('malformed bodies', () => {
  test('every fault is told at once, each with its place', async () => {
    const refused = await put(randomUUID(), { kind: 'shop', tenantId: 'mine', colour: 'green' });
    expect(refused.status).toBe(400);
    expect(pointers(refused).toSorted()).toEqual(['/colour', '/kind', '/name', '/tenantId']);
    expect(refused.body.errorsTotal).toBe(4);
    for (const error of refused.body.errors as object[])
      expect(error).toMatchObject({ code: 'request-invalid', severity: 'error' });
  });

  test('a member name with / and ~ is escaped in its pointer (RFC 6901), one over 200 characters points at its parent', async () => {
    const refused = await put(randomUUID(), organization({ 'a/b~c': 'x\0' }));
    expect(refused.status).toBe(400);
    expect(new Set(pointers(refused))).toEqual(new Set(['/a~1b~0c']));
    expect(pointers(await put(randomUUID(), organization({ ['a'.repeat(201)]: 1 })))).toEqual(['']);
  });

  test('of very many faults a hundred are told, the rest counted', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, '\0']));
    const refused = await put(randomUUID(), organization(many));
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toHaveLength(100);
    expect(refused.body.errorsTotal).toBe(10_000);
  });

  test('a body nested a million deep is 400, not a fault of ours', async () => {
    const depth = 1_000_000;
    const refused = await put(randomUUID(), `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({ type: '/problems/request-invalid' });
  });

  test.each([
    ['no JSON', '{"name":'],
    ['nothing', ''],
    ['an array', '[]'],
    ['a string', '"Acme"'],
    ['null', 'null'],
  ])('%s: 400', async (_, body) => {
    const refused = await put(randomUUID(), body);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({ type: '/problems/request-invalid' });
  });

  test('a body of another media type: 400 that names the right one', async () => {
    const refused = await app.fetch(`/api/v8.0/organizations/${randomUUID()}`, {
      method: 'PUT',
      headers: { Authorization: operator, 'Content-Type': 'text/plain' },
      body: JSON.stringify(organization()),
    });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain('application/json');
  });

  test.each(['mine', '3f2504e0-4f89-41d3-9a0c-0305e82c330', '%00', '%ff'])(
    'an ID that is no GUID: 400: %s',
    async (id) => {
      expect((await put(id, organization())).status).toBe(400);
      expect((await call(`/organizations/${id}`)).status).toBe(400);
    },
  );
});

describe('GET', () => {
  test('an organization that does not exist is 404', async () => {
    const answer = await call(`/organizations/${randomUUID()}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ type: '/problems/not-found' });
  });

  test('the pages of the list hold every organization once, newest first', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const id = randomUUID();
      ids.push(id);
      await put(id, organization());
    }
    const listed: { id: string; createdAt: string }[] = [];
    let cursor = '';
    do {
      const { body } = await call(`/organizations?limit=2${cursor}`);
      expect((body.items as object[]).length).toBeLessThanOrEqual(2);
      listed.push(...(body.items as { id: string; createdAt: string }[]));
      cursor = body.nextCursor === null ? '' : `&cursor=${encodeURIComponent(String(body.nextCursor))}`;
    } while (cursor !== '');
    const listedIds = listed.map(({ id }) => id);
    expect(new Set(listedIds).size).toBe(listedIds.length);
    expect(listedIds).toEqual(expect.arrayContaining(ids));
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('an item of the list is what the organization itself reads as', async () => {
    const id = randomUUID();
    await put(id, organization());
    const { body } = await call('/organizations?limit=200');
    const item = (body.items as { id: string }[]).find((each) => each.id === id);
    expect(item).toEqual((await call(`/organizations/${id}`)).body);
  });

  test.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=ten',
    'limit=',
    'limit=1.5',
    'limit=1&limit=2',
    'cursor=',
    'cursor=x',
    'cursor=a&cursor=b',
    `cursor=${Buffer.from('2026-01-01T00:00:00.000Z').toString('base64url')}`,
    `cursor=${Buffer.from(`2026-99-99T00:00:00.000Z ${randomUUID()}`).toString('base64url')}`,
    `cursor=${Buffer.from(`2026-01-01T00:00:00.000Z ${'-'.repeat(36)}`).toString('base64url')}`,
    `cursor=${Buffer.from(`2026-01-01T00:00:00.000Z ${'0'.repeat(35)}-`).toString('base64url')}`,
  ])('a page that cannot be: 400: %s', async (query) => {
    const answer = await call(`/organizations?${query}`);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ type: '/problems/request-invalid' });
  });

  test('a cursor before all time is an empty last page', async () => {
    const cursor = Buffer.from(`0000-01-01T00:00:00.000Z ${randomUUID()}`).toString('base64url');
    const answer = await call(`/organizations?cursor=${cursor}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({ items: [], nextCursor: null });
  });
});

const CALLS: readonly (readonly [string, string])[] = [
  ['GET', '/organizations'],
  ['GET', '/organizations/3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ['PUT', '/organizations/3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
];

describe.each(CALLS)('%s %s', (method, path) => {
  const init = method === 'PUT' ? { method, body: 'not even JSON' } : { method };

  test('without a token is 401 and says how to authenticate', async () => {
    const answer = await app.fetch(`/api/v8.0${path}`, init);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
    expect(answer.body).toMatchObject({ type: '/problems/auth-token-invalid' });
  });

  test.each([
    ['expired', { expiresIn: -3_600 }],
    ['for another service', { audience: 'another-service' }],
    ['of another issuer', { issuer: 'http://127.0.0.1:1' }],
  ])("with an operator's token that is %s is 401", async (_, claims) => {
    const answer = await call(path, init, await app.bearer({ operator: true, ...claims }));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test.each(['Basic b3A6b3A=', 'Bearer', 'Bearer a b', 'Bearer not.a.token', 'token'])(
    'with the header Authorization: %s is 401',
    async (authorization) => {
      const answer = await call(path, init, authorization);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    },
  );

  test('is 403 for an administrator who is no operator, before the body is looked at', async () => {
    const { admin } = await app.organization();
    const answer = await call(path, init, admin);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ type: '/problems/auth-forbidden' });
  });
});

test('an administrator cannot rename the own organization', async () => {
  const { id, tenantId, admin } = await app.organization();
  expect((await put(id, { name: 'Mine', kind: 'vendor', tenantId }, admin)).status).toBe(403);
  expect((await call(`/organizations/${id}`)).body.name).toBe(`vendor ${id}`);
});

test('membership is checked before existence: a stranger cannot tell whether an organization is there', async () => {
  const { admin } = await app.organization();
  const existing = await app.organization();
  const refusal = async (id: string) => {
    const { status, body } = await call(`/${id}/modules`, {}, admin);
    return { status, type: body.type as string, detail: body.detail as string };
  };
  expect(await refusal(existing.id)).toEqual(await refusal(randomUUID()));
  expect(await refusal(existing.id)).toMatchObject({ status: 403, type: '/problems/auth-forbidden' });
});

test('a member of an organization that does not exist gets 404', async () => {
  const id = randomUUID();
  const token = await app.bearer({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  expect((await call(`/${id}/modules`, {}, token)).status).toBe(404);
});

test('an organization can be used from the moment that it is created, though it was missed before', async () => {
  const id = randomUUID();
  const token = await app.bearer({ organizations: [{ id, roles: ['OrganizationMember'] }] });
  await call(`/${id}/modules`, {}, token);
  await put(id, organization());
  expect((await call(`/${id}/modules`, {}, token)).status).toBe(200);
});

test('an operator without a membership reads no organization’s modules', async () => {
  const { id } = await app.organization();
  expect((await call(`/${id}/modules`)).status).toBe(403);
});

test.each([
  ['/organizations', 'GET'],
  ['/organizations/3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'GET, PUT'],
])('%s takes %s alone: another method is 405 with Allow', async (path, allowed) => {
  const answer = await call(path, { method: 'DELETE' });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe(allowed);
});
