import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openVendorPage } from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { importAsVendor, installOnFarm, makeKey, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

test('terms can be opened, what the descriptor refers to has its name, and built files are folded', async () => {
  const typeId = stack.app.api.catalogue.entry('types', 'widget')?.id;
  const unknown = '5f1b2c3d-0000-4000-8000-0000000000cc';
  const members = { scope: 'opened', typeId, categoryId: unknown, cropIds: [] };
  const moduleId = await importAsVendor(stack, namedPackage(stack, members));
  const page = await openVendorPage(browser, stack.app.url);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`);
  const facts = page.locator('.facts').first();
  await facts.getByText('Widget').waitFor();
  await facts.getByText(unknown).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'ModuleToS/terms.md' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('terms.md');
  const built = page.getByRole('cell', { name: /^PackageArtifact\/build\// }).first();
  expect(await built.isVisible()).toBe(false);
  await page.locator('summary', { hasText: 'PackageArtifact/build/' }).click();
  await built.waitFor();
});

test('the statistics of a module are charts, each with its numbers as a table', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'counted' }));
  await installOnFarm(stack, moduleId);
  const key = await makeKey(stack, moduleId);
  const path = `/api/v8.0/Alerts/RuleDefinitionsByModuleId/${moduleId}`;
  for (let call = 0; call < 3; call += 1) await stack.app.fetch(path, { headers: { 'X-Api-Key': key } });
  await stack.app.api.apiKeys.flush();
  const page = await openVendorPage(browser, stack.app.url);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/statistics`);
  const chart = page.locator('.chart', { hasText: 'Calls' });
  await chart.getByRole('img', { name: 'Calls: highest 3' }).waitFor();
  await chart.locator('summary').click();
  const rows = chart.locator('tbody tr');
  expect(await rows.count()).toBe(30);
  expect(await rows.last().locator('td').textContent()).toBe('3');
  const figures = await page.locator('.figures dd').allTextContents();
  expect(figures).toEqual(['1', '1', '3', '0']);
});
