import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { OF_TOKEN } from '../../shared/db/access/authority.ts';
import type { MemberKey } from '../../shared/db/access/members.ts';
import type { Database } from '../../shared/db/database.ts';
import {
  FIRST_WISHES,
  writeNotificationSettings,
} from '../../shared/db/notifications/notification-settings.ts';
import {
  addPushSubscription,
  type NewPushSubscription,
} from '../../shared/db/notifications/push-subscriptions.ts';
import { holdTransaction } from '../support/held-lock.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { serviceTest } from '../support/service-test.ts';
import { MAIL_ALL_AT_ONCE } from '../support/notified-farmer.ts';
import { sessionCookie } from '../support/session-cookie.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ worker: false, settings: { PORTAL_CLIENT_ID: 'portal' } });

const PATH = '/notificationSettings';
const ADDRESS = 'fiona@farm.example';
const OFF = { mail: 'none', push: 'none' };
/** At first: in the browsers that a person subscribes. */
const BROWSERS = { mail: 'none', push: 'immediate' };

/** A member of the farm, with these claims beside the role. */
const person = (app: TestApp, { id }: TestOrganization, claims: object = {}, subject = randomUUID()) =>
  app.bearer({
    subject,
    organizations: [{ id, roles: ['OrganizationMember'] }],
    claims: { ...claims },
  });

const verified = { email: ADDRESS, email_verified: true };

test('nobody is mailed before they have written settings, which show the address that would be used', async ({
  app,
  farmer,
}) => {
  const { body } = await app.as(farmer, await person(app, farmer, verified)).get(PATH);
  expect(body).toEqual({
    ...{ info: OFF, warning: BROWSERS, critical: BROWSERS, quietHours: null, language: 'en' },
    ...{ address: ADDRESS, mail: 'off', bounce: null, pushKey: expect.stringMatching(/^B[\w-]{86}$/) },
  });
});

test('settings are those of the person in the organization', async ({ app, farmer }) => {
  const token = await person(app, farmer, verified);
  const quietHours = { from: '22:00', to: '06:00', timeZone: 'Europe/Berlin' };
  const settings = {
    ...MAIL_ALL_AT_ONCE,
    info: { mail: 'digest', push: 'immediate' },
    quietHours,
    language: 'de',
  };
  const written = await app.as(farmer, token).put(PATH, settings);
  expect([written.status, written.body]).toMatchObject([200, { ...settings, address: ADDRESS }]);
  expect((await app.as(farmer, token).get(PATH)).body).toEqual(written.body);
  expect((await app.as(farmer, await person(app, farmer)).get(PATH)).body).toMatchObject({
    critical: BROWSERS,
    address: null,
  });
});

test.for([
  ['that is missing', {}],
  ['that is not verified', { email: ADDRESS }],
  ['that is not verified either', { email: ADDRESS, email_verified: false }],
  ['that is several', { email: 'a@farm.example, b@farm.example', email_verified: true }],
  ['with a header in it', { email: 'a@farm.example\r\nBcc: b@farm.example', email_verified: true }],
] as const)('no mails go to an address %s', async ([, claims], { app, farmer }) => {
  const answer = await app.as(farmer, await person(app, farmer, claims)).put(PATH, MAIL_ALL_AT_ONCE);
  expect([answer.status, answer.body.code]).toEqual([409, 'address-unverified']);
});

test('the address of a session is that of its ID token, if the access token has none', async ({
  app,
  farmer,
}) => {
  const idToken = (await person(app, farmer, verified)).replace('Bearer ', '');
  const cookie = await sessionCookie(app, await person(app, farmer), { idToken });
  const { body } = await app.fetch(`/portal/api/${farmer.id}${PATH}`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  expect(body).toMatchObject({ address: ADDRESS });
});

test('a call whose token has no address keeps the address that is there', async ({ app, farmer }) => {
  const subject = randomUUID();
  await app.as(farmer, await person(app, farmer, verified, subject)).put(PATH, MAIL_ALL_AT_ONCE);
  const { body } = await app
    .as(farmer, await person(app, farmer, {}, subject))
    .put(PATH, { ...MAIL_ALL_AT_ONCE, info: OFF });
  expect(body).toMatchObject({ address: ADDRESS, info: OFF });
});

test.for([
  ['of no time zone', { from: '22:00', to: '06:00', timeZone: 'Europe/Atlantis' }, '/quietHours/timeZone'],
  ['that end when they begin', { from: '22:00', to: '22:00', timeZone: 'UTC' }, '/quietHours/to'],
  ['of no clock', { from: '24:00', to: '06:00', timeZone: 'UTC' }, '/quietHours/from'],
] as const)('quiet hours %s are refused', async ([, quietHours, pointer], { app, farmer }) => {
  const token = await person(app, farmer, verified);
  const answer = await app.as(farmer, token).put(PATH, { ...MAIL_ALL_AT_ONCE, quietHours });
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer }));
});

const FIRST = { wishes: FIRST_WISHES, language: 'en', quietHours: null } as const;
const BROWSER: NewPushSubscription = {
  ...{ endpoint: 'https://push.example/browser', keys: { p256dh: '', auth: '' } },
  ...{ browser: null, operatingSystem: null, language: 'en' },
};

test.for([
  ['browser', (transaction, key) => addPushSubscription(transaction, key, BROWSER, OF_TOKEN)],
  [
    'mail address',
    (transaction, key) =>
      writeNotificationSettings(transaction, key, { ...FIRST, address: ADDRESS }, OF_TOKEN),
  ],
] as const satisfies readonly (readonly [
  string,
  (transaction: Database, key: MemberKey) => Promise<unknown>,
])[])(
  'alerts from before a severity was wanted are not sent to a %s that another call adds at the same time',
  async ([, add], { app, farmer }) => {
    const { database } = app.api;
    const key = { organizationId: farmer.id, issuer: 'https://issuer.example', subject: randomUUID() };
    const [adding, writing] = [await holdTransaction(database), await holdTransaction(database)];
    await add(adding, key);
    const all = { mail: 'immediate', push: 'immediate' } as const;
    const wishes = { info: all, warning: all, critical: all };
    const written = writeNotificationSettings(writing, key, { ...FIRST, wishes, address: null }, OF_TOKEN);
    await expect.poll(() => lockWaits(app)).toBe(1);
    await adding.commit();
    await written;
    await writing.commit();
    const recipients = await database('notification_recipients as r')
      .join('notification_settings as s', 's.id', 'r.settings_id')
      .where({ subject: key.subject })
      .select<{ positions: object; starts: object }[]>('positions', 'starts');
    expect(recipients).toHaveLength(1);
    expect(JSON.stringify(recipients)).not.toContain('infinity');
  },
);

test('settings end with the organization', async ({ app, vendor }) => {
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await app.as(farmer, await person(app, farmer, verified)).put(PATH, MAIL_ALL_AT_ONCE);
  const Authorization = await app.bearer({ operator: true });
  await app.fetch(`/api/v8.0/organizations/${farmer.id}`, { method: 'DELETE', headers: { Authorization } });
  const { id: organizationId } = farmer;
  expect(await app.api.database('notification_settings').where({ organizationId })).toHaveLength(0);
});
