import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ALERT_RULES } from '../support/sample-package.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  openVendorPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { importAsVendor, installOnFarm, makeKey, makeRule, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;
let moduleId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  const rules = `${ALERT_RULES}expectedIntervalHours: 6\n`;
  const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': rules };
  moduleId = await importAsVendor(stack, namedPackage(stack, {}, files));
  await installOnFarm(stack, moduleId);
  await makeKey(stack, moduleId);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

afterEach(() => rulesTable().delete());

const rulesTable = () => stack.app.api.database('alert_rules');

/** A rule that was created long ago and never reported, of a module that has been installed for as long. */
async function makeOverdueRule(): Promise<string> {
  const ruleId = await makeRule(stack, moduleId);
  await stack.app.api
    .database('installations')
    .where({ moduleId })
    .update({ createdAt: '2026-01-01T00:00:00Z' });
  await rulesTable().where({ id: ruleId }).update({ updatedAt: '2026-01-12T08:30:00Z' });
  return ruleId;
}

async function farmerPage(path: string, options?: BrowserContextOptions): Promise<Page> {
  const { page } = await openPage(browser, options);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/${path}`);
  return page;
}

const WIDE = { width: 1_280, height: 800 };
const NARROW = { width: 360, height: 740 };

test.each([
  ['en-GB', WIDE, /No report since Jan 12, 2026, 9:30\sAM · Soil moisture/],
  ['en-GB', NARROW, /No report since Jan 12, 2026, 9:30\sAM · Soil moisture/],
  ['de-DE', WIDE, /Keine Meldung seit 12\.01\.2026, 09:30 · Bodenfeuchte/],
  ['de-DE', NARROW, /Keine Meldung seit 12\.01\.2026, 09:30 · Bodenfeuchte/],
])(
  'a farmer sees among rules and among alerts since when a module is silent: %s, %o',
  async (locale, viewport, text) => {
    await makeOverdueRule();
    for (const path of ['rules', 'alerts']) {
      const page = await farmerPage(path, { locale, viewport });
      await page.locator('.note.warn').getByText(text).first().waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await takeScreenshot(page, `silent-${path}-${locale}-${viewport.width}`);
    }
  },
);

test('the alerts page names five silent rules and leads to the others; a report ends the warning', async () => {
  for (let number = 0; number < 6; number += 1) await makeOverdueRule();
  const page = await farmerPage('alerts');
  await page.getByText('No alerts are firing.').waitFor();
  const warning = page.locator('.note.warn');
  await expect.poll(() => warning.getByRole('listitem').count()).toBe(5);
  await warning.getByRole('link', { name: 'See these and more rules' }).click();
  const cards = page.locator('.card .note.warn');
  await expect.poll(() => cards.count()).toBe(6);
  const answer = await stack.app.fetch(`/api/v8.0/Alerts/ReportsByModuleId/${moduleId}`, {
    method: 'POST',
    headers: { 'X-Api-Key': await makeKey(stack, moduleId) },
  });
  expect(answer.body).toEqual({ rules: 6 });
  for (const path of ['rules', 'alerts']) {
    await page.goto(`${stack.app.url}/portal/${FARM_ID}/${path}`);
    await page
      .locator(path === 'rules' ? '.card' : '.empty')
      .first()
      .waitFor();
    await expect.poll(() => warning.count()).toBe(0);
  }
});

test('rules and farms say of each rule whether it is watched, why not and what changes that, or that it is off', async () => {
  const [watched, off, silent] = [
    await makeRule(stack, moduleId),
    await makeRule(stack, moduleId),
    await makeOverdueRule(),
  ];
  await rulesTable()
    .where({ id: watched })
    .update({ name: 'Wet', reportedAt: new Date(Date.now() - 7_500_000) });
  await rulesTable().where({ id: off }).update({ name: 'Dry', enabled: false });
  await rulesTable().where({ id: silent }).update({ name: 'Cold' });
  for (const path of ['rules', 'farms']) {
    const page = await farmerPage(path);
    await page.getByRole('heading', { name: 'Soil moisture' }).waitFor();
    const rule = (name: string) => page.locator('li', { hasText: new RegExp(`^${name}`) });
    await rule('Wet').getByText('last report 2 hours ago').waitFor();
    await rule('Dry').getByText('off', { exact: true }).waitFor();
    await rule('Cold').getByText('not watched').waitFor();
    const remedy = rule('Cold').getByRole('link', { name: 'Contact its vendor' });
    expect(await remedy.getAttribute('href')).toBe(`/portal/${FARM_ID}/market/${moduleId}`);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `watched-${path}`);
  }
});

test("a rule's form and the vendor's preview say how often the module reports", async () => {
  const page = await farmerPage('rules');
  await page.getByRole('button', { name: 'Create rule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Module/).selectOption({ label: 'Soil moisture' });
  await dialog.getByLabel('What to watch').selectOption({ label: 'Temperature' });
  await dialog.getByText('The module reports at least every 6 hours.').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'rule-interval');
  const vendorPage = await openVendorPage(browser, stack.app.url);
  await vendorPage.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/rules`);
  await vendorPage.getByText('The module reports at least every 6 hours.').waitFor();
  await takeScreenshot(vendorPage, 'preview-interval');
});
