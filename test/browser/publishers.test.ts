import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openVendorPage, tabTo } from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const GITHUB = 'https://token.actions.githubusercontent.com';

async function openModule(scope: string): Promise<{ page: Page; stored: () => Promise<unknown> }> {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope }));
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/dev`);
  await page.getByText('There are no trusted publishers yet.').waitFor();
  const path = `GET /${VENDOR_ID}/trustedPublishers/${moduleId}`;
  return { page, stored: async () => (await callAs(stack, 'vendor-admin', path))['items'] };
}

const claimsOf = (claims: object, issuer = GITHUB) => [{ issuer, audience: stack.app.url, claims }];

test('a publisher is added from a preset, and removed', async () => {
  const { page, stored } = await openModule('publishers');
  await page.getByRole('button', { name: 'Add Publisher' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('repository_id').fill('74');
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await page.getByRole('cell', { name: 'repository_id = 74' }).waitFor();
  expect(await stored()).toEqual(claimsOf({ repository_id: '74', ref: 'refs/heads/main' }));
  await page.getByRole('button', { name: `Remove: ${GITHUB}` }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There are no trusted publishers yet.').waitFor();
  expect(await stored()).toEqual([]);
});

test('GitLab has its own claims, and a branch may be left out', async () => {
  const { page, stored } = await openModule('publishersOfGitLab');
  await page.getByRole('button', { name: 'Add Publisher' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CI service').selectOption('GitLab CI/CD');
  await dialog.getByLabel('project_id').fill(' 7 ');
  await dialog.getByLabel('ref_path').fill('');
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await page.getByRole('cell', { name: 'project_id = 7' }).waitFor();
  expect(await stored()).toEqual(claimsOf({ project_id: '7' }, 'https://gitlab.com'));
});

test('an issuer that cannot be used is reported in the dialog, which stays open', async () => {
  const { page, stored } = await openModule('publishersElsewhere');
  await page.getByRole('button', { name: 'Add Publisher' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CI service').selectOption('Another one with OpenID Connect');
  await dialog.getByLabel('Issuer').fill('https://10.0.0.1');
  await dialog.getByLabel('sub').fill('repository 7');
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await dialog.getByText('the address is not on the public internet').waitFor();
  expect(await stored()).toEqual([]);
});

test('a publisher can be added with only the keyboard', async () => {
  const { page, stored } = await openModule('publisherByKeyboard');
  await tabTo(page, 'Add Publisher');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.getByLabel('repository_id').press('Control+a');
  await page.keyboard.type('75');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'repository_id = 75' }).waitFor();
  expect(await stored()).toEqual(claimsOf({ repository_id: '75', ref: 'refs/heads/main' }));
});
