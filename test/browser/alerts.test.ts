import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import {
  importAsVendor,
  installOnFarm,
  makeKey,
  makeRule,
  namedPackage,
  raiseAlert,
} from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;
let raise: (title: string, members?: object) => Promise<void>;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'alerting' }));
  await installOnFarm(stack, moduleId);
  const [ruleId, key] = [await makeRule(stack, moduleId), await makeKey(stack, moduleId)];
  raise = (title, members) =>
    raiseAlert(stack, moduleId, key, ruleId, { title, labels: { sensor: title }, ...members });
});

beforeEach(() => stack.app.api.database('alerts').delete());

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

async function openAsFarmer(path: string, options = {}): Promise<Page> {
  const { page } = await openPage(browser, options);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/${path}`);
  return page;
}

/** Looks at the page as it is at 1280 and at 360 pixels. */
async function lookAt(page: Page, name: string): Promise<void> {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await takeScreenshot(page, `${name}-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

test('the navigation counts what waits, critical alerts are on top, filters stay in the address, and all shown are acknowledged at once', async () => {
  const page = await openAsFarmer('farms');
  await raise('Frost', { severity: 'critical' });
  await raise('Wind');
  await raise('Dew', { severity: 'info' });
  await raise('Rain');
  await raise('Rain', { status: 'resolved' });
  await page.getByRole('link', { name: /^Alerts.*3 not acknowledged$/ }).click();
  const titles = () => page.locator('.alert h2').allTextContents();
  await expect.poll(titles).toEqual(['Frost', 'Dew', 'Wind']);
  await page.getByText('Resolved alerts').click();
  await expect.poll(titles).toEqual(['Frost', 'Dew', 'Wind', 'Rain']);
  await lookAt(page, 'alerts');

  await page.getByLabel('Severity').selectOption('warning');
  await page.getByLabel('Field').selectOption('North field');
  await page.getByLabel('Module').selectOption('Soil moisture');
  await expect.poll(titles).toEqual(['Wind', 'Rain']);
  await page.reload();
  await expect.poll(titles).toEqual(['Wind']);
  await page.getByLabel('Field').selectOption('Brook field');
  await page.getByText('No alert fits these filters.').waitFor();
  await page.getByLabel('Field').selectOption('All');
  await page.getByLabel('Severity').selectOption('All');
  await page.getByRole('button', { name: 'Acknowledge all 3' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('acknowledged by farmer-admin').nth(2).waitFor();
  await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
  await page.getByLabel('Status').selectOption('not acknowledged');
  await page.getByText('No alert fits these filters.').waitFor();
});

test('alerts that come while the page is open are announced, the first one too, and those that it shows are not repeated', async () => {
  const page = await openAsFarmer('alerts');
  const live = page.locator('[aria-live=polite]', { hasText: 'No alerts are firing.' });
  await live.waitFor();
  const region = await live.elementHandle();
  await raise('Frost');
  await page.getByRole('heading', { name: 'Frost' }).waitFor();
  expect(await region.innerText()).toContain('Frost');
  expect(await region.getAttribute('aria-relevant')).toBe('additions');
});

test('alerts, their filters and their count are in German for a German browser, on a phone too', async () => {
  await raise('Hagel', { severity: 'critical' });
  await raise('Hitze');
  const page = await openAsFarmer('alerts', {
    locale: 'de-DE',
    viewport: { width: 360, height: 740 },
  });
  await page.getByText('2 nicht bestätigt').waitFor();
  await page.getByLabel('Dringlichkeit').selectOption('kritisch');
  await expect.poll(() => page.locator('.alert h2').first().textContent()).toBe('Hagel');
  await page.getByLabel('Dringlichkeit').selectOption('Alle');
  await lookAt(page, 'alerts-german');
  await page.getByRole('button', { name: 'Alle 2 bestätigen' }).click();
  await page.getByText('bestätigt von farmer-admin').first().waitFor();
});

test('a list keeps its further pages when it is read again, and its items when a page cannot be read', async () => {
  for (const title of ['Frost', 'Dew', 'Wind']) await raise(title);
  const { page, context } = await openPage(browser);
  // Pages of two alerts.
  await context.route('**/alerts?status=firing&limit=200*', (route) =>
    route.continue({ url: route.request().url().replace('limit=200', 'limit=2') }),
  );
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/alerts`);
  const alerts = page.locator('.alert');
  const more = page.getByRole('button', { name: 'Show more' });
  await expect.poll(() => alerts.count()).toBe(2);
  await more.click();
  await expect.poll(() => alerts.count()).toBe(3);
  await raise('Rain');
  await page.getByRole('heading', { name: 'Rain' }).waitFor();
  expect(await alerts.count()).toBe(4);
  await alerts.last().getByRole('button', { name: 'Acknowledge' }).click();
  await alerts.last().getByText('acknowledged by farmer-admin').waitFor();
  expect(await alerts.count()).toBe(4);

  await raise('Hail');
  await more.waitFor();
  await context.route('**/alerts?*cursor=*', (route) => route.abort());
  await more.click();
  await page.getByRole('alert').waitFor();
  expect(await alerts.count()).toBe(4);
});

test('critical alerts are first, and the navigation counts on, although pages of others came after them', async () => {
  await raise('Frost', { severity: 'critical' });
  for (const title of ['Dew', 'Wind', 'Rain']) await raise(title);
  await stack.app.api.database('alerts').whereNot({ title: 'Frost' }).update({ acknowledgedAt: new Date() });
  const { page, context } = await openPage(browser);
  // Pages of two alerts.
  await context.route(/\/alerts\?status=firing.*limit=/, (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/limit=\d+/, 'limit=2'),
    }),
  );
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/alerts`);
  const titles = () => page.locator('.alert h2').allTextContents();
  await expect.poll(titles).toEqual(['Frost', 'Rain', 'Wind']);
  await page.getByRole('link', { name: /^Alerts.*0\+ not acknowledged$/ }).waitFor();
  await takeScreenshot(page, 'alerts-of-pages');
  await page.getByLabel('Severity').selectOption('critical');
  await expect.poll(titles).toEqual(['Frost']);
  await page.getByLabel('Severity').selectOption('info');
  await page.getByText('No alert fits these filters.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
});
