import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  takeScreenshot,
} from './support/chromium.ts';

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp({ worker: false }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await app.stop();
});

test('the index searches operations, schemas and problem codes', async () => {
  const { page, requested, complaints } = await openPage(browser);
  await page.goto(`${app.url}/docs`);
  await page.getByRole('searchbox').fill('rotate keys webhook moduleId');
  await page.getByText('1 found', { exact: true }).waitFor();
  await expect
    .poll(() => page.locator('.index li:visible').allInnerTexts())
    .toEqual([expect.stringContaining('/webhooks/{moduleId}/{webhookId}/rotate')]);
  await page.getByRole('searchbox').fill('layout-entry-unexpected');
  await page.getByRole('link', { name: 'layout-entry-unexpected' }).click();
  await page.waitForURL(`${app.url}/problems/layout-entry-unexpected`);
  expect(requested.filter((each) => !each.startsWith(app.url))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('without scripts the index is a list, and each link leads to its operation', async () => {
  const { page } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(`${app.url}/docs`);
  await expect.poll(() => page.getByRole('searchbox').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Import a package', exact: true }).click();
  await page.waitForURL(/\/docs\/imports#/);
  await page.context().close();
});

test.each(['/docs', '/docs/imports', '/schemas', '/cli', '/nothing'])(
  '%s is accessible in light and dark, and fits into 360 px',
  async (address) => {
    const { page } = await openPage(browser, { viewport: { width: 1_280, height: 900 } });
    await page.goto(app.url + address);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    await takeScreenshot(page, `documentation${address.replaceAll('/', '-')}`);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScroll(page);
    await page.context().close();
  },
);
