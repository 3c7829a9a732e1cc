import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimMessage } from '../../shared/db/notifications/alert-messages.ts';
import { makeAlertSource, type AlertSource } from '../support/machine-access.ts';
import {
  deleteAlertsAfterwards,
  makeNotifiedFarmer,
  openAlertMessages,
  passTime,
  type ChangedSettings,
  type NotifiedFarmer,
} from '../support/notified-farmer.ts';
import { startPushService, type BrowserOfTest, type PushServiceOfTest } from '../support/push-service.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import type { AlertMessages } from '../../worker/notifications/alert-messages.ts';

let app: TestApp;
let service: PushServiceOfTest;
let source: AlertSource;
let newNotifier: () => AlertMessages;
let notifier: AlertMessages;
/** A second worker. */
let other: AlertMessages;

beforeAll(async () => {
  service = await startPushService();
  app = await startTestApp({
    settings: {
      PUBLIC_URL: 'https://modules.example.com',
      OUTBOUND_ALLOW_LOOPBACK: 'true',
      // Nothing listens there.
      SMTP_URL: 'smtp://127.0.0.1:1?from=alerts@service.example',
      MAX_REQUESTS_PER_MINUTE_PER_KEY: '0',
    },
    worker: false,
  });
  const worker = await app.startWorker();
  source = await makeAlertSource(app);
  await worker.stop();
  newNotifier = () => openAlertMessages(app, worker.context.metrics);
  [notifier, other] = [newNotifier(), newNotifier()];
});

afterAll(async () => {
  await app.stop();
  await service.stop();
});

interface PushedFarmer extends NotifiedFarmer {
  readonly browser: BrowserOfTest;
}

const OFF = { mail: 'none', push: 'none' };
const PUSHED = { mail: 'none', push: 'immediate' };
const ALL_PUSHED = { info: PUSHED, warning: PUSHED, critical: PUSHED };

/** Subscribes a browser, which needs the service's key for it. */
async function subscribe(
  { farmer, token }: NotifiedFarmer,
  { subscription }: BrowserOfTest,
  language = 'en',
) {
  const api = app.as(farmer, token);
  expect((await api.get('/notificationSettings')).body.pushKey).toEqual(expect.any(String));
  return api.post('/pushSubscriptions', { ...subscription, language });
}

/** A farmer with a browser, and these settings. */
async function pushed(settings: ChangedSettings = {}): Promise<PushedFarmer> {
  const farmer = await makeNotifiedFarmer(app, source);
  const browser = service.subscribe();
  const put = await farmer.put({ ...ALL_PUSHED, ...settings });
  expect(put.status, put.text).toBe(200);
  const added = await subscribe(farmer, browser);
  expect(added.status, added.text).toBe(201);
  // Positions are a second behind.
  await passTime(app, 5);
  return { ...farmer, browser };
}

/** Has the worker gather what was raised, and send what is due after this time. */
async function runAfter(seconds: number): Promise<void> {
  await passTime(app, 5);
  await notifier.run();
  await passTime(app, seconds);
  await notifier.run();
}

/** Claims the message of a farmer; before it those that are left of other tests. */
async function claimFor({ farmer }: NotifiedFarmer) {
  for (;;) {
    const claimed = await claimMessage(app.api.database, 'push');
    if (claimed === null || (claimed !== 'nothing' && claimed.organizationId === farmer.id)) return claimed;
  }
}

const titles = ({ browser }: PushedFarmer) => browser.received.map(({ text }) => text.title);

test('a thousand alerts of a burst are one message, encrypted for the browser and signed for its push service', async () => {
  const farmer = await pushed();
  deleteAlertsAfterwards(app, farmer);
  await farmer.raise(999, { severity: 'info' });
  await farmer.raise(1, { severity: 'critical', title: 'Frost' });
  await runAfter(60);
  await runAfter(600);
  expect(titles(farmer)).toEqual([expect.stringContaining('1,000 alerts for')]);
  const [{ text, headers, claims, publicKey }] = farmer.browser.received as [BrowserOfTest['received'][0]];
  expect(text.url).toBe(`/portal/${farmer.farmer.id}/alerts`);
  expect(text.body).toMatch(/^Critical: Frost · /);
  expect(headers).toMatchObject({ ttl: '259200', urgency: 'high', 'content-encoding': 'aes128gcm' });
  expect(claims).toMatchObject({ aud: service.origin, sub: 'https://modules.example.com' });
  const { body } = await app.as(farmer.farmer, farmer.token).get('/notificationSettings');
  expect(body.pushKey).toBe(publicKey);
});

test('a message replaces no earlier one, neither at the push service nor in the browser', async () => {
  const farmer = await pushed();
  for (const severity of ['info', 'critical', 'critical']) {
    await farmer.raise(1, { severity });
    await runAfter(600);
  }
  const { received } = farmer.browser;
  expect(received.map(({ headers }) => headers['urgency'])).toEqual(['low', 'high', 'high']);
  for (const { headers, text } of received) {
    expect(headers).not.toHaveProperty('topic');
    expect(text).not.toHaveProperty('tag');
  }
});

test('whoever has written no settings is pushed warnings and critical alerts once a browser is subscribed', async () => {
  const farmer = await makeNotifiedFarmer(app, source);
  const browser = service.subscribe();
  await subscribe(farmer, browser, 'de');
  await passTime(app, 5);
  await farmer.raise(1, { severity: 'info', title: 'Note' });
  await runAfter(600);
  await farmer.raise(1, { severity: 'critical', title: 'Frost' });
  await runAfter(600);
  expect(titles({ ...farmer, browser })).toEqual(['Kritisch: Frost']);
});

test('alerts of a severity that is not wanted are not pushed, nor those from before a browser was subscribed', async () => {
  const farmer = await pushed({ info: OFF });
  await farmer.raise(1, { severity: 'info' });
  await farmer.raise(1, { title: 'Early' });
  await passTime(app, 5);
  const second = service.subscribe();
  await subscribe(farmer, second);
  await passTime(app, 5);
  await farmer.raise(1, { title: 'Late' });
  await runAfter(600);
  expect(titles(farmer)).toEqual([expect.stringContaining('2 alerts for')]);
  expect(second.received.map(({ text }) => text.title)).toEqual(['Warning: Late']);
});

test('a message that a killed worker had claimed is not sent by another one, and the next one is', async () => {
  const farmer = await pushed();
  await farmer.raise(1, { title: 'Lost' });
  await passTime(app, 5);
  await notifier.run();
  // A transaction that ran beside the first one may have hidden the alert from it.
  await notifier.run();
  await passTime(app, 60);
  expect(await claimFor(farmer)).toMatchObject({ alertCount: 1 });
  await farmer.raise(1, { title: 'Next' });
  await runAfter(300);
  expect(titles(farmer)).toEqual([]);
  await runAfter(600);
  expect(titles(farmer)).toEqual(['Warning: Next']);
});

test('two workers send each message once, and one that stops leaves the rest to the other', async () => {
  const farmers = [await pushed(), await pushed(), await pushed()];
  for (const farmer of farmers) await farmer.raise(2);
  await passTime(app, 5);
  await Promise.all([notifier.run(), other.run()]);
  await passTime(app, 60);
  const [first] = farmers as [PushedFarmer];
  const stopping = newNotifier();
  first.browser.confirm = async () => {
    stopping.stop();
    await first.raise(1, { title: 'Meanwhile' });
  };
  await Promise.all([stopping.run(), other.run()]);
  first.browser.confirm = () => Promise.resolve();
  await runAfter(600);
  expect(titles(first)).toEqual([expect.stringContaining('2 alerts for'), 'Warning: Meanwhile']);
  for (const farmer of farmers.slice(1)) expect(titles(farmer)).toHaveLength(1);
});

test.each([404, 410])(
  'a browser whose push service answers %i has ended, and others go on',
  async (status) => {
    const farmer = await pushed();
    const second = service.subscribe();
    await subscribe(farmer, second);
    await passTime(app, 5);
    farmer.browser.answers.push({ status });
    await farmer.raise(1);
    await runAfter(600);
    await farmer.raise(1);
    await runAfter(600);
    expect(titles(farmer)).toEqual([]);
    expect(second.received).toHaveLength(2);
    const { body } = await app.as(farmer.farmer, farmer.token).get('/pushSubscriptions');
    expect(body.items).toMatchObject([{ endpoint: second.subscription.endpoint }]);
  },
);

test.each([429, 500, 403])('what a push service answers with %i is in the next message', async (status) => {
  const farmer = await pushed();
  farmer.browser.answers.push({ status });
  await farmer.raise(1);
  await runAfter(60);
  await farmer.raise(1);
  await runAfter(20);
  expect(titles(farmer)).toEqual([]);
  await runAfter(120);
  expect(titles(farmer)).toEqual([expect.stringContaining('2 alerts for')]);
});

test.each([
  ['as long as it asks', '1800', 1_500, 600],
  ['an hour, if it asks for more', '86400', 3_300, 600],
])('a push service that is busy is left alone %s', async (_how, retryAfter, before, then) => {
  const farmer = await pushed();
  farmer.browser.answers.push({ status: 429, headers: { 'Retry-After': retryAfter } });
  await farmer.raise(1);
  await runAfter(60);
  await runAfter(before);
  expect(titles(farmer)).toEqual([]);
  await runAfter(then);
  expect(titles(farmer)).toHaveLength(1);
});

test('while the push service is away nothing is lost: the next message has it all', async () => {
  const farmer = await pushed();
  await service.stop();
  await farmer.raise(2);
  await runAfter(60);
  await farmer.raise(1);
  await service.start();
  expect(titles(farmer)).toEqual([]);
  await runAfter(600);
  expect(titles(farmer)).toEqual([expect.stringContaining('3 alerts for')]);
});

test('a message that the push service has got is not sent again, though it confirms nothing', async () => {
  const farmer = await pushed();
  farmer.browser.confirm = () => {
    farmer.browser.confirm = () => Promise.resolve();
    return service.stop();
  };
  await farmer.raise(1, { title: 'Frost' });
  await runAfter(60);
  await service.start();
  await runAfter(7_200);
  expect(titles(farmer)).toEqual(['Warning: Frost']);
});

test('a redirect is not followed', async () => {
  const farmer = await pushed();
  const inside = service.subscribe();
  farmer.browser.answers.push({ status: 307, headers: { Location: inside.subscription.endpoint } });
  await farmer.raise(1);
  await runAfter(60);
  expect(inside.received).toEqual([]);
  const [path = ''] = inside.subscription.endpoint.split(service.origin).slice(1);
  expect(service.calls).not.toContain(path);
});

test('an address that was stored and is not on the public internet is not called', async () => {
  const farmer = await pushed();
  const { endpoint } = farmer.browser.subscription;
  const [path = ''] = endpoint.split(service.origin).slice(1);
  // It leads to the service.
  await app.api
    .database('notification_recipients')
    .where({ address: endpoint })
    .update({ address: endpoint.replace('127.0.0.1', '0.0.0.0') });
  await farmer.raise(1);
  await runAfter(600);
  expect(farmer.browser.received).toEqual([]);
  expect(service.calls).not.toContain(path);
});

test('quiet hours hold messages back, and lose none', async () => {
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const farmer = await pushed({ quietHours: { from: clock(-1), to: clock(1), timeZone: 'UTC' } });
  await farmer.raise(2);
  await runAfter(600);
  expect(titles(farmer)).toEqual([]);
  await farmer.put({ ...ALL_PUSHED, quietHours: null });
  await runAfter(60);
  expect(titles(farmer)).toHaveLength(1);
});

test('a person who has left meanwhile is pushed nothing, and no browser stays', async () => {
  const farmer = await makeNotifiedFarmer(app, source, () => ({}));
  const path = `/members/fiona-${farmer.farmer.id}`;
  await app.as(farmer.farmer).put(path, { roles: ['OrganizationMember'] });
  const browser = service.subscribe();
  expect((await subscribe(farmer, browser)).status).toBe(201);
  await passTime(app, 5);
  await farmer.raise(1);
  await app.as(farmer.farmer).delete(path);
  await runAfter(60);
  expect(browser.received).toEqual([]);
  const address = browser.subscription.endpoint;
  expect(await app.api.database('notification_recipients').where({ address })).toHaveLength(0);
});

test('while the mail server is away browsers are notified', async () => {
  const farmer = await pushed({ warning: { mail: 'immediate', push: 'immediate' } });
  await farmer.raise(1, { title: 'Frost' });
  await runAfter(60);
  expect(titles(farmer)).toEqual(['Warning: Frost']);
});

test('while the private key cannot be opened nothing is claimed, and nothing is lost', async () => {
  const farmer = await pushed();
  await farmer.raise(1, { title: 'Frost' });
  await passTime(app, 5);
  await notifier.run();
  await passTime(app, 60);
  const key = app.api.database('push_key');
  const [row] = await key.clone().select<{ sealedPrivateKey: Buffer }[]>('sealedPrivateKey');
  await key.clone().update({ sealedPrivateKey: Buffer.from('\u0004lost') });
  await expect(notifier.run()).rejects.toThrow('messages about alerts failed');
  await key.clone().update({ sealedPrivateKey: row?.sealedPrivateKey });
  await notifier.run();
  expect(titles(farmer)).toEqual(['Warning: Frost']);
});
