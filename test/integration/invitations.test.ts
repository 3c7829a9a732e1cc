import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { accept, actionsOf, ADMIN, invite, keptOf, MEMBER, person } from '../support/members.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false, settings: { PORTAL_CLIENT_ID: 'module-portal' } });

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
  expect(await keptOf(app, farmer)).toMatchObject([{ subject: winner, name: 'Ida' }]);
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
