import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  launchChromium,
  openPage,
  openVendorPage,
  takeScreenshot,
} from './support/chromium.ts';
import { startPortalStack, type PortalStack } from './support/portal-stack.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ worker: false }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

test('users see where they are signed in, and sign out there: in one browser, or in all others', async () => {
  const [own, second, third] = [
    await openVendorPage(browser, stack.app.url),
    await openVendorPage(browser, stack.app.url),
    await openVendorPage(browser, stack.app.url),
  ];
  await own.getByRole('link', { name: 'Vera Vendor' }).click();
  await own.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
  const rows = own.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(3);
  await expect.poll(() => rows.filter({ hasText: 'this one' }).count()).toBe(1);
  await expectAccessible(own);
  await takeScreenshot(own, 'where-signed-in');

  await own.getByRole('button', { name: 'Sign out there' }).first().click();
  await own.getByRole('dialog').getByRole('button', { name: 'Sign out there' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await own.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await own.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
  await expect.poll(() => rows.count()).toBe(1);

  await own.reload();
  await rows.filter({ hasText: 'this one' }).waitFor();
  for (const page of [second, third]) {
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  }
});

test.each([
  ['in two tabs at once, whichever is finished first', 2],
  ['after ten that were abandoned, in the newest tabs', 12],
])('users sign in %s', async (_when, tabs) => {
  const { page, context } = await openPage(browser);
  const accounts = `${stack.app.url}/portal/sign-in?page=/portal/farms`;
  await page.goto(accounts);
  for (let count = 1; count < tabs; count += 1) await (await context.newPage()).goto(accounts);
  const [first, second] = context.pages().slice(-2);
  for (const [tab, name] of [
    [second, 'Vera Vendor'],
    [first, 'Fiona Farmer'],
  ] as const) {
    await tab?.getByRole('link', { name }).click();
    await tab?.waitForURL(`${stack.app.url}/portal/farms`);
    await tab?.getByRole('link', { name }).waitFor();
  }
  await context.close();
});
