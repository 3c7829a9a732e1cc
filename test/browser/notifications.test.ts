import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  tabTo,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { sampleMessage } from '../support/sample-message.ts';
import { sampleSubscription } from '../support/push-service.ts';
import { writePush } from '../../worker/notifications/push-text.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ worker: false }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const table = () => stack.app.api.database('notification_settings');
const recipients = () => stack.app.api.database('notification_recipients').where({ channel: 'push' });

afterEach(() => table().delete());

/** How a person answers whether a page may notify them, and the subscription that the browser then makes. */
interface Pushing {
  readonly answer: 'granted' | 'denied';
  readonly subscription: ReturnType<typeof sampleSubscription>;
}

async function farmerPage(
  options: BrowserContextOptions,
  {
    answer = 'granted',
    subscription = sampleSubscription('https://push.example.com/0'),
  }: Partial<Pushing> = {},
): Promise<Page> {
  const { app } = stack;
  const { page } = await openPage(browser, options);
  await subscribeAt(page, { answer, subscription });
  await signIn(page, app.url, 'Fiona Farmer');
  await page.goto(`${app.url}/portal/${FARM_ID}/notifications`);
  return page;
}

const WIDE = { width: 1_280, height: 800 };
const NARROW = { width: 360, height: 740 };

const ENGLISH = {
  ...{ off: 'No mail server is set: no mails are sent.', change: 'Change notifications', save: 'Save' },
  ...{
    critical: 'Critical alerts by mail',
    atOnce: 'By mail at once',
    from: 'Quiet hours from',
    to: 'Quiet hours to',
  },
  ...{ hours: /^20:00 to 06:00 \(.+\)$/, bounced: /was refused by its mail server \(550\)/ },
};
const GERMAN = {
  ...{ off: 'Es ist kein Mailserver eingerichtet: Es werden keine E-Mails versendet.', save: 'Speichern' },
  ...{
    change: 'Benachrichtigungen ändern',
    critical: 'Kritische Warnungen per E-Mail',
    atOnce: 'Sofort per E-Mail',
  },
  ...{ from: 'Ruhezeit von', to: 'Ruhezeit bis', hours: /^20:00 bis 06:00 \(.+\)$/ },
  bounced: /Der Mailserver hat .+ abgelehnt \(550\)/,
};

test.each([
  ['en-GB', WIDE, ENGLISH],
  ['en-GB', NARROW, ENGLISH],
  ['de-DE', WIDE, GERMAN],
  ['de-DE', NARROW, GERMAN],
])('a farmer chooses by keyboard what is mailed, and when not: %s, %o', async (locale, viewport, texts) => {
  const page = await farmerPage({ locale, viewport });
  await page.getByText(texts.off).waitFor();
  await page.getByText('farmer-admin@example.com').waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `notifications-${locale}-${viewport.width}`);
  await tabTo(page, texts.change);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(texts.critical).focus();
  await page.keyboard.type(texts.atOnce);
  await dialog.getByLabel(texts.from).focus();
  await page.keyboard.type('20');
  await dialog.getByLabel(texts.to).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `notifications-form-${locale}-${viewport.width}`);
  await tabTo(page, texts.save);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(texts.atOnce).waitFor();
  await page.getByText(texts.hours).waitFor();
  await stack.app.api
    .database('notification_recipients')
    .update({ bounceStatus: 550, bouncedAt: new Date() });
  await page.reload();
  await page.getByText(texts.bounced).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, `notifications-bounced-${locale}-${viewport.width}`);
  const [row] = await table().select('wishes', 'language');
  expect(row).toMatchObject({
    wishes: { critical: { mail: 'immediate' }, warning: { mail: 'none' } },
    language: locale.slice(0, 2),
  });
});

/**
 * Has the browser subscribe at this address, once a person is asked. Chromium itself subscribes at a service of its vendor
 * on the internet, which tests do not reach; and without a head it refuses every notification.
 */
async function subscribeAt(page: Page, { answer, subscription }: Pushing): Promise<void> {
  await page.addInitScript(`{
    const made = {
      endpoint: ${JSON.stringify(subscription.endpoint)},
      toJSON: () => (${JSON.stringify(subscription)}),
      unsubscribe: async () => { localStorage.removeItem('subscribed'); return true; },
    };
    PushManager.prototype.subscribe = async () => { localStorage.setItem('subscribed', ''); return made; };
    PushManager.prototype.getSubscription = async () => localStorage.getItem('subscribed') === null ? null : made;
    Object.defineProperty(Notification, 'permission', { get: () => localStorage.getItem('permission') ?? 'default' });
    Notification.requestPermission = async () => {
      localStorage.setItem('permission', ${JSON.stringify(answer)});
      return Notification.permission;
    };
  }`);
}

const ENGLISH_BROWSERS = {
  ...{ none: 'No browser shows alerts yet.', turnOn: 'Turn on in this browser', here: 'this one' },
  ...{ device: /^Chrome on /, remove: /^Remove: Chrome on /, signOut: 'Sign out' },
};
const GERMAN_BROWSERS = {
  ...{ none: 'Noch zeigt kein Browser Warnungen.', turnOn: 'In diesem Browser einschalten', here: 'dieser' },
  ...{ remove: /^Entfernen: Chrome /, signOut: 'Abmelden' },
};

test.each([
  ['en-GB', WIDE, ENGLISH_BROWSERS],
  ['en-GB', NARROW, ENGLISH_BROWSERS],
  ['de-DE', WIDE, GERMAN_BROWSERS],
  ['de-DE', NARROW, GERMAN_BROWSERS],
])('a farmer turns this browser on by keyboard, and removes it: %s, %o', async (locale, viewport, texts) => {
  const subscription = sampleSubscription('https://push.example.com/1');
  const page = await farmerPage({ locale, viewport }, { subscription });
  await page.getByText(texts.none).waitFor();
  await tabTo(page, texts.turnOn);
  await takeScreenshot(page, `browsers-off-${locale}-${viewport.width}`);
  await page.keyboard.press('Enter');
  await page.getByText(texts.here, { exact: true }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `browsers-${locale}-${viewport.width}`);
  expect(await page.getByRole('button', { name: texts.turnOn }).count()).toBe(0);
  const [row] = await recipients().select('address', 'pushKeys');
  expect(row).toEqual({ address: subscription.endpoint, pushKeys: subscription.keys });
  await page.reload();
  await page.getByRole('button', { name: texts.remove }).press('Enter');
  await page.getByText(texts.none).waitFor();
  await page.getByRole('button', { name: texts.turnOn }).waitFor();
  expect(await recipients()).toEqual([]);
});

test('nobody is asked before they turn a browser on, and the page says why one cannot be', async () => {
  const page = await farmerPage({ viewport: WIDE }, { answer: 'denied' });
  await page.getByText(ENGLISH_BROWSERS.none).waitFor();
  const scripts = 'navigator.serviceWorker.getRegistrations().then(({ length }) => length)';
  expect(await page.evaluate(`Promise.all([Notification.permission, ${scripts}])`)).toEqual(['default', 0]);
  await page.getByRole('button', { name: ENGLISH_BROWSERS.turnOn }).click();
  await page.getByText(/^Notifications are not turned on/).waitFor();
  await page.getByText(/^You have blocked notifications/).waitFor();
  await expectAccessible(page);
  await page.addInitScript('delete window.PushManager');
  await page.reload();
  await page.getByText(/^This browser cannot show notifications/).waitFor();
  await expectAccessible(page);
});

/** A farmer whose browser is turned on, in a tab that was opened at the address of the portal, as after a sign-in. */
async function turnedOn(): Promise<Page> {
  const page = await farmerPage({ viewport: WIDE });
  await page.goto(`${stack.app.url}/portal`);
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('button', { name: ENGLISH_BROWSERS.turnOn }).click();
  await page.getByText(ENGLISH_BROWSERS.here, { exact: true }).waitFor();
  return page;
}

test('signing out ends the subscription of the browser, there and in the service', async () => {
  const page = await turnedOn();
  expect(await recipients()).toHaveLength(1);
  await page.getByRole('button', { name: ENGLISH_BROWSERS.signOut }).click();
  await page.locator('.welcome').waitFor();
  expect(await page.evaluate('localStorage.getItem("subscribed")')).toBeNull();
  expect(await recipients()).toEqual([]);
});

test('the service worker shows a message, and its click leads to the page of alerts', async () => {
  const page = await turnedOn();
  const origin = stack.app.url;
  const cdp = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first !== undefined) resolve(first.registrationId);
    }),
  );
  await cdp.send('ServiceWorker.enable');
  const [worker] = page.context().serviceWorkers();
  // Chromium without a head shows no notification, and nothing in it can click one: both ends are stood in for.
  await worker?.evaluate(`{
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => { self.shown = { title, ...options }; };
    Object.assign(self, { opened: [], focused: [] });
    Clients.prototype.openWindow = async (url) => { self.opened.push(url); };
    WindowClient.prototype.focus = async function () { self.focused.push(this.url); };
  }`);
  const text = writePush(sampleMessage({ organizationId: FARM_ID }));
  const data = JSON.stringify(text);
  await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data });
  const { title, body, url } = text;
  const expected = { title, body, data: url };
  await expect.poll(() => worker?.evaluate('self.shown')).toEqual(expected);
  const click = (address: string) =>
    worker?.evaluate(`dispatchEvent(Object.assign(new Event('notificationclick'), {
      notification: { data: ${JSON.stringify(address)}, close: () => undefined },
      waitUntil: () => undefined,
    }))`);
  await click('https://elsewhere.example/');
  await click(url);
  await expect.poll(() => worker?.evaluate('self.opened')).toEqual([origin + url]);
  await page.goto(origin + url);
  await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
  await click(url);
  await expect.poll(() => worker?.evaluate('self.focused')).toEqual([origin + url]);
  // Other browsers know a tab by the address with which it was opened, whatever it shows since.
  await worker?.evaluate(
    `Object.defineProperty(WindowClient.prototype, 'url', { value: ${JSON.stringify(origin + url)} })`,
  );
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
  await click(url);
  await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
  expect(await worker?.evaluate('self.opened')).toEqual([origin + url]);
});
