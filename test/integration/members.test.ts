import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { notePeople } from '../../shared/db/access/people.ts';
import { isRole } from '../../shared/db/access/role.ts';
import type { Row } from '../../shared/db/rows.ts';
import { accept, actionsOf, ADMIN, invite, keptOf, MEMBER, person } from '../support/members.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({
  worker: false,
  settings: { PORTAL_CLIENT_ID: 'module-portal', MAX_MEMBERS_PER_ORGANIZATION: '6' },
  config: { quotas: { maxInvitationsPerOrganization: 3, maxGroupsPerOrganization: 2 } },
});

test('a member who is kept here may do what the roles say, until removed', async ({ app }) => {
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
  await expect.poll(async () => (await own.get('/modules')).status, { interval: 20 }).toBe(403);
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
    if (sql.includes('as memberships')) reads += 1;
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
  expect(await keptOf(app, vendor)).toEqual([]);
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
  expect(await keptOf(app, vendor)).toHaveLength(1);
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
  const [member] = await keptOf(app, vendor);
  await own.delete(`/members/${member?.subject ?? ''}`);
  expect((await accept(app, subject, secret)).status).toBe(200);
});

test('an invitation that somebody has used makes room for another one: nobody can delete it', async ({
  app,
}) => {
  const vendor = await app.organization();
  const [first] = [await invite(app, vendor), await invite(app, vendor), await invite(app, vendor)];
  expect((await app.as(vendor).post('/invitations', { role: 'OrganizationMember' })).status).toBe(409);
  expect((await accept(app, randomUUID(), first.secret)).status).toBe(200);
  await invite(app, vendor);
});

test('an invitation whose maker may not invite any more makes room for another one: no list has it', async ({
  app,
}) => {
  const vendor = await app.organization();
  const { subject, caller } = person(app, vendor);
  await app.as(vendor).put(`/members/${subject}`, ADMIN);
  const maker = await caller();
  for (let made = 0; made < 3; made += 1)
    expect((await maker.post('/invitations', { role: 'OrganizationMember' })).status).toBe(201);
  expect((await app.as(vendor).post('/invitations', { role: 'OrganizationMember' })).status).toBe(409);
  await app.as(vendor).delete(`/members/${subject}`);
  await invite(app, vendor);
});

test('no more invitations that were used are kept than can be open; the last person may repeat the call', async ({
  app,
}) => {
  const vendor = await app.organization();
  const subject = randomUUID();
  const secrets: string[] = [];
  for (let used = 0; used < 6; used += 1) {
    const { secret } = await invite(app, vendor);
    expect((await accept(app, subject, secret)).status).toBe(200);
    secrets.push(secret);
  }
  const { secret: unused } = await invite(app, vendor);
  expect(await app.api.database('invitations').where({ organizationId: vendor.id })).toHaveLength(3 + 1);
  const repeats = await Promise.all(secrets.map((secret) => accept(app, subject, secret)));
  expect(repeats.map(({ status }) => status)).toEqual([404, 404, 404, 200, 200, 200]);
  expect((await accept(app, randomUUID(), unused)).status).toBe(200);
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

test('who has a role in an organization that was deleted is not sent to an operator, who cannot create it again', async ({
  app,
}) => {
  const vendor = await app.organization();
  await app.as('operator').delete(`/organizations/${vendor.id}`);
  const read = async () => (await app.as(vendor).get('/modules')).body.detail as unknown;
  await expect
    .poll(read)
    .toBe(
      'There is no such organization. It was deleted: let the issuer of the token name another organization.',
    );
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

test('people with a role of the token or of a group are listed as they were last seen, beside those who are kept', async ({
  app,
}) => {
  const vendor = await app.organization();
  const items = [{ group: 'acme', role: 'OrganizationMember' }];
  await app.as('operator').put(`/organizations/${vendor.id}/groups`, { items });
  const organizations = [{ id: vendor.id, ...ADMIN }];
  const byToken = person(app, vendor, { organizations, claims: { name: 'Tora Token' } });
  const byGroup = person(app, vendor, { claims: { groups: ['acme'] } });
  const kept = person(app, vendor, { claims: { name: 'Kim' } });
  const put = () => app.as('operator').put(`/${vendor.id}/members/${kept.subject}`, MEMBER);
  expect((await put()).body).toMatchObject({ ...MEMBER, identityProviderRoles: [], lastSeenAt: null });
  for (const { caller } of [byToken, byGroup, kept])
    expect((await (await caller()).get('/modules')).status).toBe(200);
  const found = await (await byToken.caller()).pages<{ subject: string }>('/members');
  const time = expect.stringMatching(/^\d{4}-/);
  const { roles: identityProviderRoles } = ADMIN;
  const seen = { roles: [], identityProviderRoles: [], lastSeenAt: time, createdAt: time };
  const own = (subject: string) => ({ ...seen, subject, createdBy: subject, updatedBy: subject });
  // Who was seen in the same moment is listed by subject, which is random here.
  const bySubject = Object.fromEntries(found.map((member) => [member.subject, member]));
  expect(bySubject).toMatchObject({
    [byToken.subject]: { ...own(byToken.subject), name: 'Tora Token', identityProviderRoles },
    [byGroup.subject]: { ...own(byGroup.subject), name: null, identityProviderRoles: MEMBER.roles },
    [kept.subject]: { ...seen, ...MEMBER, subject: kept.subject, name: 'Kim', createdBy: 'tester' },
  });
  expect(found).toHaveLength(3);
  expect((await put()).body).toMatchObject({ ...MEMBER, lastSeenAt: time });
});

test('people are listed while their organization lives, operators and those without a role are not', async ({
  app,
}) => {
  const vendor = await app.organization();
  const stranger = await person(app, vendor).caller();
  expect((await stranger.get('/modules')).status).toBe(403);
  const list = async () => (await app.as('operator').get(`/${vendor.id}/members`)).body.items as unknown[];
  expect(await list()).toEqual([]);
  expect((await app.as(vendor).get('/modules')).status).toBe(200);
  expect(await list()).toHaveLength(1);
  expect((await app.as('operator').delete(`/organizations/${vendor.id}`)).status).toBe(204);
  expect(await app.api.database('people').where({ organizationId: vendor.id })).toEqual([]);
});

test('many requests of a person are recorded once, until an hour has passed or their roles have changed', async ({
  app,
}) => {
  const vendor = await app.organization();
  let writes = 0;
  app.api.database.on('query', ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
    if (sql.includes('insert into people') && String(bindings[0]).includes(vendor.id)) writes += 1;
  });
  const call = async (token?: string) => {
    expect((await app.as(vendor, token).get('/modules')).status).toBe(200);
    await app.api.seenPeople.flush();
  };
  for (let i = 0; i < 3; i += 1) await call();
  expect(writes).toBe(1);
  await call(vendor.member);
  expect(writes).toBe(2);
  // Another process, whose memory is its own.
  const people = () => app.api.database('people').where({ organizationId: vendor.id });
  const read = async () => people().first<Row<'people'>>();
  const { issuer, subject, name, seenAt, roles } = await read();
  expect(roles).toEqual(MEMBER.roles);
  const again = {
    organizationId: vendor.id,
    issuer,
    subject,
    name,
    groups: [],
    roles: [...roles].filter(isRole),
  };
  await notePeople(app.api.database, [again]);
  expect((await read()).seenAt).toEqual(seenAt);
  await people().update({ seenAt: new Date(0) });
  await notePeople(app.api.database, [again]);
  expect((await read()).seenAt.getTime()).toBeGreaterThanOrEqual(seenAt.getTime());
});
