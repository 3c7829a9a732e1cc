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

afterEach(() => table().delete());

async function farmerPage(options: BrowserContextOptions): Promise<Page> {
  const { app } = stack;
  const { page } = await openPage(browser, options);
  await signIn(page, app.url, 'Fiona Farmer');
  await page.goto(`${app.url}/portal/${FARM_ID}/notifications`);
  return page;
}

const WIDE = { width: 1_280, height: 800 };
const NARROW = { width: 360, height: 740 };

const ENGLISH = {
  ...{ off: 'No mail server is set: no mails are sent.', change: 'Change notifications', save: 'Save' },
  ...{
    critical: 'Critical alerts',
    atOnce: 'By mail at once',
    from: 'Quiet hours from',
    to: 'Quiet hours to',
  },
  ...{ hours: /^20:00 to 06:00 \(.+\)$/, bounced: /was refused by its mail server \(550\)/ },
};
const GERMAN = {
  ...{ off: 'Es ist kein Mailserver eingerichtet: Es werden keine E-Mails versendet.', save: 'Speichern' },
  ...{ change: 'Benachrichtigungen ändern', critical: 'Kritische Warnungen', atOnce: 'Sofort per E-Mail' },
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
  await page.getByText(texts.atOnce, { exact: true }).waitFor();
  await page.getByText(texts.hours).waitFor();
  await table().update({ bounceStatus: 550, bouncedAt: new Date() });
  await page.reload();
  await page.getByText(texts.bounced).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, `notifications-bounced-${locale}-${viewport.width}`);
  const [row] = await table().select('criticalMail', 'warningMail', 'language');
  expect(row).toEqual({ criticalMail: 'immediate', warningMail: 'none', language: locale.slice(0, 2) });
});
