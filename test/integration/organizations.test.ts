import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pointersOf } from '../support/problem-pointers.ts';
import { organizationBody } from '../support/organization-body.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

describe('PUT creates and renames', () => {
  test('a new organization is 201 and is returned as it was sent', async () => {
    const id = randomUUID();
    const sent = organizationBody({ kind: 'farmer', name: 'Hof Grünau 🌾' });
    const created = await app.as('operator').put(`/organizations/${id}`, sent);
    expect(created.status, created.text).toBe(201);
    expect(created.body).toEqual({
      id,
      ...sent,
      countryCode: null,
      verified: false,
      suspension: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/) as string,
      updatedAt: created.body.createdAt as string,
    });
    expect((await app.as('operator').get(`/organizations/${id}`)).body).toEqual(created.body);
  });

  test('the same request again is 200 and changes nothing, including the time', async () => {
    const id = randomUUID();
    const sent = organizationBody();
    const created = await app.as('operator').put(`/organizations/${id}`, sent);
    const again = await app.as('operator').put(`/organizations/${id}`, sent);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(created.body);
  });

  test('another name renames it', async () => {
    const id = randomUUID();
    const sent = organizationBody();
    await app.as('operator').put(`/organizations/${id}`, sent);
    const renamed = await app.as('operator').put(`/organizations/${id}`, { ...sent, name: 'Acme Water' });
    expect(renamed.status).toBe(200);
    expect((await app.as('operator').get(`/organizations/${id}`)).body).toMatchObject({
      ...sent,
      name: 'Acme Water',
    });
  });

  test('an organization is verified, stays it where that is left out, and is no longer with false', async () => {
    const path = `/organizations/${randomUUID()}`;
    const sent = organizationBody();
    const put = async (members: object) =>
      (await app.as('operator').put(path, { ...sent, ...members })).body as object;
    expect(await put({})).toMatchObject({ verified: false });
    expect(await put({ verified: true })).toMatchObject({ verified: true });
    expect(await put({ name: 'Acme Water' })).toMatchObject({ name: 'Acme Water', verified: true });
    expect(await put({ verified: false })).toMatchObject({ verified: false });
  });

  test('a country is set, stays where it is left out, and is removed by null', async () => {
    const path = `/organizations/${randomUUID()}`;
    const sent = organizationBody({ kind: 'farmer' });
    const put = async (members: object) =>
      (await app.as('operator').put(path, { ...sent, ...members })).body as object;
    expect(await put({ countryCode: 'DE' })).toMatchObject({ countryCode: 'DE' });
    expect(await put({ name: 'Hof' })).toMatchObject({ name: 'Hof', countryCode: 'DE' });
    expect(await put({ countryCode: null })).toMatchObject({ countryCode: null });
    for (const countryCode of ['de', 'DEU', 'XX'])
      expect(pointersOf(await app.as('operator').put(path, { ...sent, countryCode }))).toEqual([
        '/countryCode',
      ]);
  });

  test('IDs are accepted in either letter case, and returned in lower case', async () => {
    const id = randomUUID();
    const sent = organizationBody();
    const upper = { ...sent, tenantId: sent.tenantId.toUpperCase() };
    expect((await app.as('operator').put(`/organizations/${id.toUpperCase()}`, upper)).body).toMatchObject({
      id,
      tenantId: sent.tenantId,
    });
    expect((await app.as('operator').put(`/organizations/${id}`, sent)).status).toBe(200);
  });

  test('ten concurrent requests that create one organization: one 201, nine 200', async () => {
    const id = randomUUID();
    const sent = organizationBody();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.as('operator').put(`/organizations/${id}`, sent)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(9).fill(200), 201]);
  });

  test.each([
    ['kind', { kind: 'farmer' }],
    ['tenant', { tenantId: randomUUID() }],
  ])('the %s never changes: 409 organization-fixed, and nothing is stored', async (_, change) => {
    const id = randomUUID();
    const sent = organizationBody();
    await app.as('operator').put(`/organizations/${id}`, sent);
    const refused = await app
      .as('operator')
      .put(`/organizations/${id}`, { ...sent, ...change, name: 'Other' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ type: '/problems/organization-fixed' });
    expect((await app.as('operator').get(`/organizations/${id}`)).body).toMatchObject(sent);
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
    expect((await app.as('operator').put(`/organizations/${id}`, organizationBody({ name }))).status).toBe(
      201,
    );
    expect((await app.as('operator').get(`/organizations/${id}`)).body.name).toBe(name);
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
  ])('%s: 400 with a pointer to the name, and nothing is stored', async (_, name) => {
    const id = randomUUID();
    const body = `{"name":${name},"kind":"vendor","tenantId":"${randomUUID()}"}`;
    const refused = await app.as('operator').put(`/organizations/${id}`, body);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({ type: '/problems/request-invalid' });
    expect(new Set(pointersOf(refused))).toEqual(new Set(['/name']));
    expect((await app.as('operator').get(`/organizations/${id}`)).status).toBe(404);
  });
});

describe('malformed bodies', () => {
  test('every issue is returned at once, each with its location', async () => {
    const refused = await app.as('operator').put(`/organizations/${randomUUID()}`, {
      kind: 'shop',
      tenantId: 'mine',
      colour: 'green',
    });
    expect(refused.status).toBe(400);
    expect(pointersOf(refused).toSorted()).toEqual(['/colour', '/kind', '/name', '/tenantId']);
    expect(refused.body.errorsTotal).toBe(4);
    for (const error of refused.body.errors as object[])
      expect(error).toMatchObject({ code: 'request-invalid', severity: 'error' });
  });

  test('a member name with / and ~ is escaped in its pointer (RFC 6901); the pointer of one over 200 characters is its parent', async () => {
    const refused = await app
      .as('operator')
      .put(`/organizations/${randomUUID()}`, organizationBody({ 'a/b~c': 'x\0' }));
    expect(refused.status).toBe(400);
    expect(new Set(pointersOf(refused))).toEqual(new Set(['/a~1b~0c']));
    expect(
      pointersOf(
        await app
          .as('operator')
          .put(`/organizations/${randomUUID()}`, organizationBody({ ['a'.repeat(201)]: 1 })),
      ),
    ).toEqual(['']);
  });

  test('of very many issues a hundred are returned, the rest counted', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, '\0']));
    const refused = await app.as('operator').put(`/organizations/${randomUUID()}`, organizationBody(many));
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toHaveLength(100);
    expect(refused.body.errorsTotal).toBe(10_000);
  });

  test('a body nested a million deep is 400, not an internal error', async () => {
    const depth = 1_000_000;
    const refused = await app
      .as('operator')
      .put(`/organizations/${randomUUID()}`, `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`);
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
    const refused = await app.as('operator').put(`/organizations/${randomUUID()}`, body);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({ type: '/problems/request-invalid' });
  });

  test('a body of another media type is 400, and the answer names the right one', async () => {
    const refused = await app.fetch(`/api/v8.0/organizations/${randomUUID()}`, {
      method: 'PUT',
      headers: { Authorization: await app.bearer({ operator: true }), 'Content-Type': 'text/plain' },
      body: JSON.stringify(organizationBody()),
    });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain('application/json');
  });

  test.each(['mine', '3f2504e0-4f89-41d3-9a0c-0305e82c330', '%00', '%ff'])(
    'an ID that is not a GUID: 400: %s',
    async (id) => {
      expect((await app.as('operator').put(`/organizations/${id}`, organizationBody())).status).toBe(400);
      expect((await app.as('operator').get(`/organizations/${id}`)).status).toBe(400);
    },
  );
});

describe('GET', () => {
  test('an organization that does not exist is 404', async () => {
    const answer = await app.as('operator').get(`/organizations/${randomUUID()}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ type: '/problems/not-found' });
  });

  test('the pages of the list contain every organization once, newest first', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const id = randomUUID();
      ids.push(id);
      await app.as('operator').put(`/organizations/${id}`, organizationBody());
    }
    const listed: { id: string; createdAt: string }[] = [];
    let cursor = '';
    do {
      const { body } = await app.as('operator').get(`/organizations?limit=2${cursor}`);
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

  test("an item of the list is equal to the organization's own resource", async () => {
    const id = randomUUID();
    await app.as('operator').put(`/organizations/${id}`, organizationBody());
    const { body } = await app.as('operator').get('/organizations?limit=200');
    const item = (body.items as { id: string }[]).find((each) => each.id === id);
    expect(item).toEqual((await app.as('operator').get(`/organizations/${id}`)).body);
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
  ])('an invalid page is 400: %s', async (query) => {
    const answer = await app.as('operator').get(`/organizations?${query}`);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ type: '/problems/request-invalid' });
  });

  test('a cursor before all organizations is an empty last page', async () => {
    for (let count = 0; count < 2; count += 1)
      await app.as('operator').put(`/organizations/${randomUUID()}`, organizationBody());
    const { nextCursor } = (await app.as('operator').get('/organizations?limit=1')).body;
    const [mark = ''] = Buffer.from(String(nextCursor), 'base64url').toString().split(' ');
    const cursor = Buffer.from(`${mark} 0000-01-01T00:00:00.000Z ${randomUUID()}`).toString('base64url');
    const answer = await app.as('operator').get(`/organizations?cursor=${cursor}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({ items: [], nextCursor: null });
  });
});
