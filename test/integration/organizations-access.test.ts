import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { organizationBody } from '../support/organization-body.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

const CALLS: readonly (readonly [string, string])[] = [
  ['GET', '/organizations'],
  ['GET', '/organizations/3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ['PUT', '/organizations/3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
];

describe.each(CALLS)('%s %s', (method, path) => {
  const body = method === 'PUT' ? 'not even JSON' : undefined;
  const callWith = (authorization: string) =>
    app.as('operator', authorization).call(`${method} ${path}`, body);

  test('without a token is 401 with WWW-Authenticate', async () => {
    const answer = await app.as('operator', null).call(`${method} ${path}`, body);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
    expect(answer.body).toMatchObject({ type: '/problems/auth-token-invalid' });
  });

  test.each([
    ['expired', { expiresIn: -3_600 }],
    ['for another service', { audience: 'another-service' }],
    ['of another issuer', { issuer: 'http://127.0.0.1:1' }],
  ])("with an operator's token that is %s is 401", async (_, claims) => {
    const answer = await callWith(await app.bearer({ operator: true, ...claims }));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test.each(['Basic b3A6b3A=', 'Bearer', 'Bearer a b', 'Bearer not.a.token', 'token'])(
    'with the header Authorization: %s is 401',
    async (authorization) => {
      const answer = await callWith(authorization);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    },
  );

  test('is 403 for an administrator who is not an operator, before the body is read', async () => {
    const { admin } = await app.organization();
    const answer = await callWith(admin);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ type: '/problems/auth-forbidden' });
  });
});

test('an administrator cannot rename its own organization', async () => {
  const { id, tenantId, admin } = await app.organization();
  expect(
    (await app.as('operator', admin).put(`/organizations/${id}`, { name: 'Mine', kind: 'vendor', tenantId }))
      .status,
  ).toBe(403);
  expect((await app.as('operator').get(`/organizations/${id}`)).body.name).toBe(`vendor ${id}`);
});

test('membership is checked before existence: a stranger cannot find out whether an organization exists', async () => {
  const { admin } = await app.organization();
  const existing = await app.organization();
  const refusal = async (id: string) => {
    const { status, body } = await app.as('operator', admin).get(`/${id}/modules`);
    return { status, type: body.type as string, detail: body.detail as string };
  };
  expect(await refusal(existing.id)).toEqual(await refusal(randomUUID()));
  expect(await refusal(existing.id)).toMatchObject({ status: 403, type: '/problems/auth-forbidden' });
});

test('a member of an organization that does not exist gets 404', async () => {
  const id = randomUUID();
  const token = await app.bearer({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  expect((await app.as('operator', token).get(`/${id}/modules`)).status).toBe(404);
});

test('an organization can be used as soon as it is created, even after a 404', async () => {
  const id = randomUUID();
  const token = await app.bearer({ organizations: [{ id, roles: ['OrganizationMember'] }] });
  await app.as('operator', token).get(`/${id}/modules`);
  await app.as('operator').put(`/organizations/${id}`, organizationBody());
  expect((await app.as('operator', token).get(`/${id}/modules`)).status).toBe(200);
});

test('an operator without a membership reads no organization’s modules', async () => {
  const { id } = await app.organization();
  expect((await app.as('operator').get(`/${id}/modules`)).status).toBe(403);
});

test.each([
  ['/organizations', 'GET'],
  ['/organizations/3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'GET, PUT, DELETE'],
])('%s accepts only %s: another method is 405 with Allow', async (path, allowed) => {
  const answer = await app.as('operator').call(`POST ${path}`);
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe(allowed);
});
