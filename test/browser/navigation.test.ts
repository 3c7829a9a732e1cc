import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, launchChromium, openVendorPage } from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { importAsVendor, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;
let moduleId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  moduleId = await importAsVendor(stack, namedPackage(stack));
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** The element that has the focus, and its text. */
async function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    "document.activeElement.tagName + ' ' + (document.activeElement === document.body ? '' : document.activeElement.textContent)",
  );
}

test('the first page that is loaded does not move the focus', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const list = page.getByRole('link', { name: 'Soil moisture', exact: true });
  await list.waitFor();
  expect(await focused(page)).toBe('BODY ');
  await page.goto(`${stack.app.url}/portal`);
  await list.waitFor();
  expect([await focused(page), await page.title()]).toEqual(['BODY ', 'My Modules – Module portal']);
});

test('a link moves the focus to the heading of its page, and the title names the page', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.getByRole('link', { name: 'Imports', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('H1 Imports');
  expect(await page.title()).toBe('Imports – Module portal');
  await expectAccessible(page);
});

test('a page that has to load data gets the focus as soon as it has a heading, also when going back', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.getByRole('link', { name: 'Soil moisture', exact: true }).click();
  await expect.poll(() => focused(page)).toBe('H1 Soil moisture: Overview');
  await page.goBack();
  await expect.poll(() => focused(page)).toBe('H1 My Modules');
  await page.goForward();
  await expect.poll(() => focused(page)).toBe('H1 Soil moisture: Overview');
});

test("the title of the tab contains the module's name", async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`);
  await page.getByRole('link', { name: 'Revisions' }).click();
  await expect.poll(() => focused(page)).toBe('H1 Soil moisture: Revisions');
  expect(await page.title()).toBe('Revisions – Soil moisture – Module portal');
});

test('the name of the portal links to the heading of the first page', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/imports`);
  await page.getByRole('link', { name: 'Module portal' }).click();
  await expect.poll(() => focused(page)).toBe('H1 My Modules');
});

test('the first link of a page skips its navigation', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('A Skip to content');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toMatch(/^MAIN My Modules/);
});
