import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';
import type { TokenClaims } from '../support/test-issuer.ts';

const test = serviceTest({
  worker: false,
  settings: {
    PORTAL_CLIENT_ID: 'module-portal',
    MAX_MEMBERS_PER_ORGANIZATION: '6',
    MAX_INVITATIONS_PER_ORGANIZATION: '3',
    MAX_GROUPS_PER_ORGANIZATION: '2',
  },
});

const ADMIN = { roles: ['OrganizationAdmin'] };
const MEMBER = { roles: ['OrganizationMember'] };

/** A person who is known by a subject, perhaps with other claims. */
function person(app: TestApp, organization: TestOrganization, claims: TokenClaims = {}) {
  const subject = claims.subject ?? `person-${randomUUID()}`;
  const caller = async () => app.as(organization, await app.bearer({ ...claims, subject }));
  return { subject, caller, token: () => app.bearer({ ...claims, subject }) };
}

async function actionsOf(app: TestApp, organization: TestOrganization): Promise<readonly unknown[]> {
  const { body } = await app.as(organization).get('/auditLog');
  const items = body.items as { actor: string; action: string; details: unknown }[];
  return items.map(({ actor, action, details }) => [actor, action, details]).toReversed();
}

test('a member who is kept here may do what the roles say, until removed, within a second', async ({
  app,
}) => {
  const vendor = await app.organization();
  const { subject, caller } = person(app, vendor);
  const own = await caller();
  expect((await own.get('/modules')).status).toBe(403);
  const added = await app.as(vendor).put(`/members/${subject}`, { ...MEMBER, name: 'Mara' });
  expect([added.status, added.body]).toMatchObject([201, { subject, name: 'Mara', ...MEMBER }]);
  expect((await own.get('/modules')).status).toBe(200);
  expect((await own.get('/members')).status, 'only administrators manage members').toBe(403);
  expect((await app.as(vendor).put(`/members/${subject}`, ADMIN)).body).toMatchObject({
    name: 'Mara',
    ...ADMIN,
  });
  await expect.poll(async () => (await own.get('/members')).status).toBe(200);
  expect((await app.as(vendor).delete(`/members/${subject}`)).status).toBe(204);
  const removedAt = performance.now();
  await expect.poll(async () => (await own.get('/modules')).status, { interval: 20 }).toBe(403);
  expect(performance.now() - removedAt).toBeLessThan(1_000);
  expect((await app.as(vendor).delete(`/members/${subject}`)).status).toBe(404);
  expect(await actionsOf(app, vendor)).toMatchObject([
    [expect.anything(), 'organization.created', expect.anything()],
    ['tester', 'member.added', { subject, ...MEMBER }],
    ['tester', 'member.changed', { subject, ...ADMIN }],
    ['tester', 'member.removed', { subject, ...ADMIN }],
  ]);
});

test('roles of the token and roles that are kept here add up', async ({ app }) => {
  const vendor = await app.organization();
  const organizations = [{ id: vendor.id, ...MEMBER }];
  const { subject, caller } = person(app, vendor, { organizations });
  const own = await caller();
  expect((await own.get('/modules')).status).toBe(200);
  expect((await own.get('/members')).status).toBe(403);
  await app.as(vendor).put(`/members/${subject}`, ADMIN);
  await expect.poll(async () => (await own.get('/members')).status).toBe(200);
});

test('an administrator by the token costs no query for memberships, and many requests of a member share one', async ({
  app,
}) => {
  const vendor = await app.organization();
  const { subject, caller } = person(app, vendor);
  await app.as(vendor).put(`/members/${subject}`, MEMBER);
  const own = await caller();
  let reads = 0;
  app.api.database.on('query', ({ sql }: { sql: string }) => {
    if (sql.includes('organization_groups')) reads += 1;
  });
  for (let i = 0; i < 3; i += 1) expect((await app.as(vendor).get('/modules')).status).toBe(200);
  expect((await app.as(vendor, vendor.member).get('/modules')).status).toBe(200);
  expect(reads).toBe(0);
  await Promise.all(Array.from({ length: 10 }, () => own.get('/modules')));
  expect(reads).toBeLessThan(3);
});

test('a member of one organization is none of another, and a subject of another issuer is another person', async ({
  app,
}) => {
  const [vendor, other] = [await app.organization(), await app.organization()];
  const { subject, token } = person(app, vendor);
  await app.as(vendor).put(`/members/${subject}`, ADMIN);
  expect((await app.as(vendor, await token()).get('/members')).status).toBe(200);
  expect((await app.as(other, await token()).get('/modules')).status).toBe(403);
  await app.api.database('members').where({ subject }).update({ issuer: 'https://other.example.com' });
  await expect.poll(async () => (await app.as(vendor, await token()).get('/modules')).status).toBe(403);
  expect((await app.as(vendor).get('/members')).body.items).toEqual([]);
});

test('operators manage members, and a subject may have any characters', async ({ app }) => {
  const vendor = await app.organization();
  const subject = `auth0|ä/${randomUUID()}`;
  const path = `/${vendor.id}/members/${encodeURIComponent(subject)}`;
  expect((await app.as('operator').put(path, MEMBER)).body).toMatchObject({ subject });
  expect((await app.as(vendor, await app.bearer({ subject })).get('/modules')).status).toBe(200);
  expect((await app.as('operator').delete(path)).status).toBe(204);
  expect((await app.as('operator').get(`/${randomUUID()}/members`)).status).toBe(404);
  const long = `/${vendor.id}/members/${'a'.repeat(256)}`;
  expect((await app.as('operator').put(long, MEMBER)).status).toBe(400);
});

test('the last administrator who is kept here cannot lock the organization: only who stays administrator removes them', async ({
  app,
}) => {
  const vendor = await app.organization();
  const [first, second] = [person(app, vendor), person(app, vendor)];
  await app.as(vendor).put(`/members/${first.subject}`, ADMIN);
  const own = await first.caller();
  const refused = [
    await own.delete(`/members/${first.subject}`),
    await own.put(`/members/${first.subject}`, MEMBER),
  ];
  for (const { body } of refused)
    expect(body).toMatchObject({ status: 409, type: '/problems/last-administrator' });
  // As the advice says.
  await own.put(`/members/${second.subject}`, ADMIN);
  expect((await own.delete(`/members/${first.subject}`)).status).toBe(204);
  expect((await app.as('operator').delete(`/${vendor.id}/members/${second.subject}`)).status).toBe(204);
});

test('of two administrators who remove each other at the same time one stays', async ({ app }) => {
  const vendor = await app.organization();
  const people = [person(app, vendor), person(app, vendor)];
  for (const { subject } of people) await app.as(vendor).put(`/members/${subject}`, ADMIN);
  const [a, b] = [await people[0]?.caller(), await people[1]?.caller()];
  await Promise.all([a?.get('/members'), b?.get('/members')]);
  await Promise.all([
    a?.delete(`/members/${people[1]?.subject ?? ''}`),
    b?.delete(`/members/${people[0]?.subject ?? ''}`),
  ]);
  const { body } = await app.as(vendor).get('/members');
  expect(body.items).toHaveLength(1);
});

test('members of a group have its role, also with the slash of Keycloak, until it is no longer mapped', async ({
  app,
}) => {
  const vendor = await app.organization();
  const path = `/organizations/${vendor.id}/groups`;
  const groups = ['/vendors/acme', 'everybody'];
  const own = await person(app, vendor, { claims: { groups } }).caller();
  const stranger = await person(app, vendor, { claims: { groups: ['vendors'] } }).caller();
  const items = [{ group: '/vendors/acme', role: 'OrganizationAdmin' }];
  const answer = await app.as('operator').put(path, { items });
  expect(answer.body).toEqual({ items: [{ group: 'vendors/acme', role: 'OrganizationAdmin' }] });
  expect((await own.get('/members')).status).toBe(200);
  expect((await stranger.get('/modules')).status).toBe(403);
  await app.as('operator').put(path, { items: [{ group: 'everybody', role: 'OrganizationMember' }] });
  await expect.poll(async () => (await own.get('/members')).status).toBe(403);
  expect((await own.get('/modules')).status).toBe(200);
  expect((await actionsOf(app, vendor)).at(-1)).toMatchObject([
    'tester',
    'organization.groupsChanged',
    { before: ['vendors/acme: OrganizationAdmin'], after: ['everybody: OrganizationMember'] },
  ]);
  expect((await app.as('operator').put(path, { items: [] })).body).toEqual({ items: [] });
  await expect.poll(async () => (await own.get('/modules')).status).toBe(403);
});

test('a group is listed once, of an organization that exists, and so many of them', async ({ app }) => {
  const vendor = await app.organization();
  const put = (items: unknown, id = vendor.id) =>
    app.as('operator').put(`/organizations/${id}/groups`, { items });
  const of = (...groups: string[]) => groups.map((group) => ({ group, role: 'OrganizationMember' }));
  expect((await put(of('a', '/a'))).body).toMatchObject({
    status: 400,
    errors: [{ pointer: '/items/1/group' }],
  });
  expect((await put(of('a', 'b', 'c'))).body).toMatchObject({
    status: 409,
    type: '/problems/quota-exceeded',
  });
  expect((await put(of('a'), randomUUID())).status).toBe(404);
  expect((await app.as('operator').get(`/organizations/${randomUUID()}/groups`)).status).toBe(404);
  expect((await put(of('b', 'a'))).body).toEqual({ items: of('a', 'b') });
});

async function invite(app: TestApp, organization: TestOrganization, body: object = {}) {
  const answer = await app.as(organization).post('/invitations', { role: 'OrganizationMember', ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { id: string; secret: string; link: string };
}

async function accept(app: TestApp, subject: string, secret: string) {
  return app.fetch('/api/v8.0/invitations/accept', {
    method: 'POST',
    headers: { Authorization: await app.bearer({ subject }), 'Content-Type': 'application/json' },
    body: JSON.stringify({ secret }),
  });
}

test('an invitation makes whoever uses it first a member; that person may repeat the call', async ({
  app,
}) => {
  const farmer = await app.organization({ kind: 'farmer' });
  const { id, secret, link } = await invite(app, farmer, { name: 'Ida' });
  expect(link).toBe(`${app.url}/portal/invitation#${secret}`);
  const { body: open } = await app.as(farmer).get('/invitations');
  expect(open.items).toMatchObject([{ id, name: 'Ida', createdBy: 'tester' }]);
  expect(JSON.stringify(open)).not.toContain(secret);
  const subjects = [randomUUID(), randomUUID(), randomUUID()];
  const answers = await Promise.all(subjects.map((subject) => accept(app, subject, secret)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  const winner = subjects[answers.findIndex(({ status }) => status === 200)] ?? '';
  expect((await accept(app, winner, secret)).body).toMatchObject({
    organizationId: farmer.id,
    kind: 'farmer',
    ...MEMBER,
  });
  expect((await app.as(farmer).get('/members')).body.items).toMatchObject([{ subject: winner, name: 'Ida' }]);
  expect((await app.as(farmer).get('/invitations')).body.items).toEqual([]);
  await app.as(farmer).delete(`/members/${winner}`);
  expect((await accept(app, winner, secret)).status, 'who was removed does not come back').toBe(404);
  expect((await actionsOf(app, farmer)).slice(1)).toMatchObject([
    ['tester', 'invitation.created', { role: 'OrganizationMember' }],
    [winner, 'invitation.accepted', { invitedBy: 'tester' }],
    ['tester', 'member.removed', { subject: winner }],
  ]);
});

test('a revoked, an expired and an unknown invitation are refused alike', async ({ app }) => {
  const vendor = await app.organization();
  const revoked = await invite(app, vendor);
  expect((await app.as(vendor).delete(`/invitations/${revoked.id}`)).status).toBe(204);
  expect((await app.as(vendor).delete(`/invitations/${revoked.id}`)).status).toBe(404);
  const expired = await invite(app, vendor);
  await app.api
    .database('invitations')
    .where({ id: expired.id })
    .update({ expiresAt: new Date(Date.now() - 1) });
  const other = await app.organization();
  const own = await invite(app, vendor);
  expect((await app.as(other).delete(`/invitations/${own.id}`)).status, 'of another organization').toBe(404);
  const texts = new Set<string>();
  for (const secret of [revoked.secret, expired.secret, 'mmi_unknown', '']) {
    const { status, body } = await accept(app, randomUUID(), secret);
    expect(status).toBe(404);
    texts.add(String(body.detail));
  }
  expect(texts.size).toBe(1);
});

test('an administrator who is removed cannot come back by an invitation of their own', async ({ app }) => {
  const vendor = await app.organization();
  const { subject, caller } = person(app, vendor);
  await app.as(vendor).put(`/members/${subject}`, ADMIN);
  const made = await (await caller()).post('/invitations', { role: 'OrganizationAdmin' });
  expect(made.status).toBe(201);
  await app.as(vendor).delete(`/members/${subject}`);
  expect((await accept(app, subject, String(made.body.secret))).status).toBe(404);
});

test('a member who accepts another role has both; the roles that they have stay', async ({ app }) => {
  const vendor = await app.organization();
  const subject = randomUUID();
  await app.as(vendor).put(`/members/${subject}`, ADMIN);
  const { secret } = await invite(app, vendor);
  expect((await accept(app, subject, secret)).body).toMatchObject({
    roles: ['OrganizationAdmin', 'OrganizationMember'],
  });
});

test('the database has only the hash of an invitation', async ({ app }) => {
  const vendor = await app.organization();
  const { secret } = await invite(app, vendor);
  const rows: unknown = await app.api.database('invitations').where({ organizationId: vendor.id });
  const { rows: dumped } = await app.api.database.raw<{ rows: unknown }>('select * from invitations');
  expect(JSON.stringify([rows, dumped])).not.toContain(secret.slice(4));
});

test('an invitation ends within 30 days, in a week unless said otherwise', async ({ app }) => {
  const vendor = await app.organization();
  for (const expiresOn of ['2020-01-01', '2999-01-01', 'tomorrow'])
    expect(
      (await app.as(vendor).post('/invitations', { role: 'OrganizationMember', expiresOn })).status,
      expiresOn,
    ).toBe(400);
  await invite(app, vendor);
  const { body } = await app.as(vendor).get('/invitations');
  const days = (Date.parse(String(body.items[0].expiresOn)) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(7);
});

test('there are so many members and invitations, also when they are added at once', async ({ app }) => {
  const vendor = await app.organization();
  const own = app.as(vendor);
  const invited = await Promise.all(
    Array.from({ length: 5 }, () => own.post('/invitations', { role: 'OrganizationMember' })),
  );
  expect(invited.filter(({ status }) => status === 201)).toHaveLength(3);
  const added = await Promise.all(
    Array.from({ length: 9 }, () => own.put(`/members/${randomUUID()}`, MEMBER)),
  );
  expect(added.filter(({ status }) => status === 201)).toHaveLength(6);
  expect(added.find(({ status }) => status !== 201)?.body).toMatchObject({
    type: '/problems/quota-exceeded',
  });
  const secret = String(invited.find(({ status }) => status === 201)?.body.secret);
  const subject = randomUUID();
  expect((await accept(app, subject, secret)).status).toBe(409);
  // The invitation is not used up by that.
  const { body } = await own.get('/members?limit=1');
  await own.delete(`/members/${String(body.items[0].subject)}`);
  expect((await accept(app, subject, secret)).status).toBe(200);
});

test('who has a role in an organization that was not created learns which one an operator must create', async ({
  app,
}) => {
  const id = randomUUID();
  const admin = await app.bearer({ organizations: [{ id, ...ADMIN }] });
  const { status, body } = await app.fetch(`/api/v8.0/${id}/modules`, { headers: { Authorization: admin } });
  expect([status, body.detail]).toEqual([
    404,
    `There is no such organization. Ask an operator to create the organization ${id}.`,
  ]);
});

test('who is removed invites nobody and adds nobody, also before other requests know of it', async ({
  app,
}) => {
  const vendor = await app.organization();
  const { subject, caller } = person(app, vendor);
  await app.as(vendor).put(`/members/${subject}`, ADMIN);
  const own = await caller();
  await expect.poll(async () => (await own.get('/members')).status).toBe(200);
  // Now the roles are known for half a second.
  expect((await own.get('/members')).status).toBe(200);
  await app.as(vendor).delete(`/members/${subject}`);
  const invited = await own.post('/invitations', { role: 'OrganizationAdmin' });
  const added = await own.put('/members/somebody-else', ADMIN);
  expect([invited.status, added.status]).toEqual([403, 403]);
});
