import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  launchChromium,
  openPage,
  openVendorPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { importAsVendor, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** Ends every session now. */
async function endSessions(): Promise<void> {
  const { database } = stack.app.api;
  await database('sessions').update({ expiresAt: database.raw("now() - interval '1 second'") });
}

/** Signs in with the dialog over the page; returns the tab of the sign-in. */
async function signInAgain(page: Page, accountName: string): Promise<Page> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Sign in' }).click(),
  ]);
  await tab.getByRole('link', { name: accountName }).click();
  return tab;
}

/** A page with the dialog that adds an app filled in, after the session has ended. */
async function filledIn(scope: string): Promise<{ page: Page; moduleId: string }> {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope }));
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/dev`);
  await page.getByRole('button', { name: 'Add App' }).click();
  await page.getByLabel('Name').fill('Typed before');
  await endSessions();
  await page.getByRole('dialog').getByRole('button', { name: 'Add App' }).click();
  return { page, moduleId };
}

async function appsOf(moduleId: string): Promise<unknown> {
  const { body } = await stack.app.fetch(`/api/v8.0/${VENDOR_ID}/apiClients/${moduleId}`, {
    headers: { Authorization: await stack.bearer('vendor-admin') },
  });
  return body.items;
}

test('a user who opens a page without a session returns to that page after signing in', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/imports`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Vera Vendor' }).click();
  await page.getByRole('heading', { name: 'Imports' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/portal/${VENDOR_ID}/imports`);
});

test('input from before the end of the session is sent after another sign-in', async () => {
  const { page, moduleId } = await filledIn('typedBefore');
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'session-ended');
  expect(await appsOf(moduleId)).toEqual([]);
  const tab = await signInAgain(page, 'Vera Vendor');
  await page.getByRole('textbox', { name: 'API key' }).waitFor();
  await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  expect(await appsOf(moduleId)).toMatchObject([{ clientName: 'Typed before' }]);
  await expect.poll(() => tab.isClosed()).toBe(true);
});

test('a sign-in tab that the browser does not let close itself says where to continue', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.goto(`${stack.app.url}/portal/signed-in`);
  await page.getByText('Continue in the tab that you came from.').waitFor();
  await expectAccessible(page);
});

test('a package chosen before the end of the session is imported after another sign-in', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await endSessions();
  const buffer = namedPackage(stack, { scope: 'chosenBefore' });
  await page.setInputFiles('input[type=file]', { name: 'package.zip', mimeType: 'application/zip', buffer });
  await signInAgain(page, 'Vera Vendor');
  await page.getByText('The module was created.').waitFor();
});

test('input is not sent if another person signs in', async () => {
  const { page, moduleId } = await filledIn('typedByAnother');
  await signInAgain(page, 'Milo Member');
  await page.getByText('You are a member of this organization.').waitFor();
  await expect.poll(() => page.locator('.person').textContent()).toBe('Milo Member');
  expect(await appsOf(moduleId)).toEqual([]);
});

test('a page switches to the user who signs in in another tab', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const tab = await page.context().newPage();
  await tab.goto(`${stack.app.url}/portal/sign-in`);
  await tab.getByRole('link', { name: 'Otto Operator' }).click();
  await expect.poll(() => page.locator('.person').textContent()).toBe('Otto Operator');
});

test('a page that polls stops polling while there is no session', async () => {
  const { page, requested } = await openPage(browser);
  await page.clock.install();
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.locator('.figures').waitFor();
  const backlogReads = () => requested.filter((each) => each.endsWith('/backlog')).length;
  await endSessions();
  await page.clock.runFor(10_000);
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  const before = backlogReads();
  await page.clock.runFor(60_000);
  expect(backlogReads()).toBe(before);
  await signInAgain(page, 'Otto Operator');
  await expect.poll(backlogReads).toBeGreaterThan(before);
});
