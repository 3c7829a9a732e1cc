import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { publicPushKey, findPushKey } from '../../shared/db/notifications/push-key.ts';
import { reseal } from '../../shared/db/reseal.ts';
import { EncryptionKeys } from '../../shared/encryption/encryption-keys.ts';
import { sampleSubscription } from '../support/push-service.ts';
import { serviceTest } from '../support/service-test.ts';
import { sessionCookie } from '../support/session-cookie.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ worker: false, settings: { PORTAL_CLIENT_ID: 'portal' } });

const PATH = '/pushSubscriptions';

/** A person with this role in organizations. */
const personIn = (app: TestApp, organizations: readonly TestOrganization[], subject = randomUUID()) =>
  app.bearer({
    subject,
    organizations: organizations.map(({ id }) => ({ id, roles: ['OrganizationMember'] as const })),
  });

const newBrowser = () => sampleSubscription(`https://push.example.com/${randomUUID()}`);

const endpointsOf = async (app: TestApp, organization: TestOrganization, token: string) => {
  const { body } = await app.as(organization, token).get(PATH);
  return (body.items as { endpoint: string }[]).map(({ endpoint }) => endpoint);
};

test('a person sees and ends their own browsers, and nobody else’s', async ({ app, farmer }) => {
  const [own, others] = [await personIn(app, [farmer]), await personIn(app, [farmer])];
  const [first, second] = [newBrowser(), newBrowser()];
  const added = await app.as(farmer, own).post(PATH, first);
  expect(added.status, added.text).toBe(201);
  await app.as(farmer, others).post(PATH, second);
  expect(await endpointsOf(app, farmer, own)).toEqual([first.endpoint]);
  const path = `${PATH}/${added.body.id}`;
  expect((await app.as(farmer, others).delete(path)).status).toBe(404);
  expect((await app.as(farmer, own).delete(path)).status).toBe(204);
  expect((await app.as(farmer, own).delete(path)).status).toBe(404);
  expect(await endpointsOf(app, farmer, own)).toEqual([]);
});

test('a browser that is subscribed again is still one, with its new keys', async ({ app, farmer }) => {
  const token = await personIn(app, [farmer]);
  const { endpoint } = newBrowser();
  const renewed = sampleSubscription(endpoint);
  const [first, again] = [
    await app.as(farmer, token).post(PATH, sampleSubscription(endpoint)),
    await app.as(farmer, token).post(PATH, renewed),
  ];
  expect(again.body).toEqual(first.body);
  const [row] = await app.api
    .database('notification_recipients')
    .where({ address: endpoint })
    .select('pushKeys');
  expect(row).toEqual({ pushKeys: renewed.keys });
});

test('a browser notifies the person alone who subscribed it last', async ({ app, farmer }) => {
  const [before, now] = [await personIn(app, [farmer]), await personIn(app, [farmer])];
  const browser = newBrowser();
  await app.as(farmer, before).post(PATH, browser);
  await app.as(farmer, now).post(PATH, browser);
  expect(await endpointsOf(app, farmer, before)).toEqual([]);
  expect(await endpointsOf(app, farmer, now)).toEqual([browser.endpoint]);
});

test('ten browsers at most notify a person, also when they are subscribed at once', async ({
  app,
  farmer,
}) => {
  const token = await personIn(app, [farmer]);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => app.as(farmer, token).post(PATH, newBrowser())),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 10 }, () => 201),
    ...[409, 409],
  ]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('quota-exceeded');
  expect(await endpointsOf(app, farmer, token)).toHaveLength(10);
});

test.for([
  ['without TLS', 'http://push.example.com/1'],
  ['in a private network', 'https://10.0.0.7/1'],
  ['of the metadata of a cloud', 'https://169.254.169.254/latest'],
  ['with a name of the own network', 'https://intranet/1'],
  ['with a password', 'https://user:password@push.example.com/1'],
  ['that is none', 'push.example.com'],
] as const)('an address %s is refused', async ([, endpoint], { app, farmer }) => {
  const answer = await app.as(farmer, await personIn(app, [farmer])).post(PATH, sampleSubscription(endpoint));
  expect([answer.status, answer.body.errors]).toMatchObject([400, [{ pointer: '/endpoint' }]]);
});

test('a key that is no point of the curve is refused', async ({ app, farmer }) => {
  const browser = newBrowser();
  const keys = { ...browser.keys, p256dh: `B${'A'.repeat(86)}` };
  const answer = await app.as(farmer, await personIn(app, [farmer])).post(PATH, { ...browser, keys });
  expect([answer.status, answer.body.errors]).toMatchObject([400, [{ pointer: '/keys/p256dh' }]]);
});

test('signing out in a browser ends its notifications, of all organizations; other browsers go on', async ({
  app,
  farmer,
  vendor,
}) => {
  const second = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  const token = await personIn(app, [farmer, second]);
  const [here, there] = [newBrowser(), newBrowser()];
  await app.as(farmer, token).post(PATH, here);
  await app.as(second, token).post(PATH, here);
  await app.as(farmer, token).post(PATH, there);
  const signOut = async (body?: string) =>
    app.fetch('/portal/session', {
      method: 'DELETE',
      headers: { cookie: await sessionCookie(app, token), origin: app.url },
      ...(body !== undefined && { body }),
    });
  expect((await signOut()).status).toBe(200);
  // No browser's address; the session ends all the same.
  expect((await signOut('https://push.example.com/\0')).status).toBe(200);
  expect(await endpointsOf(app, farmer, token)).toEqual([there.endpoint, here.endpoint]);
  expect((await signOut(here.endpoint)).status).toBe(200);
  expect(await endpointsOf(app, farmer, token)).toEqual([there.endpoint]);
  expect(await endpointsOf(app, second, token)).toEqual([]);
});

test('processes that need the key pair at once make one, and its private key is sealed', async ({ app }) => {
  const { database, encryptionKeys } = app.api;
  await database('push_key').delete();
  const made = await Promise.all(Array.from({ length: 4 }, () => publicPushKey(database, encryptionKeys)));
  expect(new Set(made).size).toBe(1);
  const pair = await findPushKey(database, encryptionKeys);
  const { d = '' } = pair?.privateKey.export({ format: 'jwk' }) ?? {};
  const [row] = await database('push_key').select<{ sealedPrivateKey: Buffer }[]>('sealedPrivateKey');
  expect(d).not.toBe('');
  expect(row?.sealedPrivateKey.includes(d)).toBe(false);
});

test('the key pair is sealed anew with the current key, and stays the same', async ({ app }) => {
  const { database } = app.api;
  const [old, current] = ['old', 'new'].map((id) => ({ id, key: Buffer.alloc(32, id) }));
  await database('push_key').delete();
  const publicKey = await publicPushKey(database, new EncryptionKeys([old!]));
  await reseal(database, new EncryptionKeys([current!, old!]));
  expect(await findPushKey(database, new EncryptionKeys([current!]))).toMatchObject({ publicKey });
  await database('push_key').delete();
});
