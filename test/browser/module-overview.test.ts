import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectNoSidewaysScroll,
  launchChromium,
  openVendorPage,
  takeScreenshot,
} from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, installOnFarm, makeKey, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

test('the overview starts with the state of the module and the next step, and ends with the descriptor', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'stated' }));
  const page = await openVendorPage(browser, stack.app.url);
  const address = `${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`;
  const expectStatus = async (text: string, step: string | null) => {
    await page.goto(address);
    const line = page.locator('.note', { hasText: text });
    await line.waitFor();
    await expect.poll(() => line.getByRole('link').allTextContents()).toEqual(step === null ? [] : [step]);
  };
  await expectStatus('Live, revision 1 · 0 farms · no key', 'create an API key');
  await expect.poll(() => page.getByRole('heading', { level: 2 }).last().textContent()).toBe('Descriptor');
  await installOnFarm(stack, moduleId);
  await makeKey(stack, moduleId);
  await expectStatus('Live, revision 1 · 1 farm · key expires in 364 days', null);
  await takeScreenshot(page, 'module-status');
  const staged = namedPackage(stack, { scope: 'stated', moduleId, vendorInternalCodeVersion: '2.0.0' });
  await callAs(stack, 'vendor-admin', `PATCH /${VENDOR_ID}/modules/${moduleId}`, { releasePolicy: 'manual' });
  await importAsVendor(stack, staged);
  await expectStatus('Live, revision 1 · 1 farm · key expires in 364 days', 'release revision 2');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, 'module-status-phone');
  await page.getByRole('link', { name: 'release revision 2' }).click();
  await page.locator('figure.chart').waitFor();
  await callAs(stack, 'vendor-admin', `POST /${VENDOR_ID}/modules/${moduleId}/revisions/1/release`);
  await callAs(stack, 'vendor-admin', `POST /${VENDOR_ID}/modules/${moduleId}/revisions/2/release`);
  await callAs(stack, 'vendor-admin', `POST /${VENDOR_ID}/modules/${moduleId}/revisions/1/release`);
  // Rolled back: it is not to be released again.
  await expectStatus('Live, revision 1 · 1 farm · key expires in 364 days', null);
  await callAs(stack, 'operator', `POST /operations/modules/${moduleId}/quarantine`, { reason: 'Malware' });
  await expectStatus('Stopped by an operator · 1 farm', null);
});

test('after a rotation nothing is left to do, and only the new key can be rotated and revoked', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'rotatedOnce' }));
  await makeKey(stack, moduleId);
  const clients = `/${VENDOR_ID}/apiClients/${moduleId}`;
  const { items } = await callAs(stack, 'vendor-admin', `GET ${clients}`);
  const [{ clientId }] = items as readonly [{ readonly clientId: string }];
  await callAs(stack, 'vendor-admin', `POST ${clients}/${clientId}/rotate`, { overlapSeconds: 3_600 });
  const page = await openVendorPage(browser, stack.app.url);
  const address = `${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`;
  await page.goto(address);
  const line = page.locator('.note', { hasText: 'Live, revision 1 · 0 farms · key expires in 364 days' });
  await line.waitFor();
  await takeScreenshot(page, 'module-status-rotated');
  expect(await line.getByRole('link').count()).toBe(0);
  await page.goto(`${address}/dev`);
  const keys = page.getByRole('region', { name: 'App Registrations' }).locator('tbody tr');
  await expect.poll(() => keys.count()).toBe(2);
  await takeScreenshot(page, 'app-registrations-rotated');
  for (const name of [/^Rotate/, /^Revoke/]) {
    expect(await keys.first().getByRole('button', { name }).count()).toBe(1);
    expect(await keys.last().getByRole('button', { name }).count()).toBe(0);
  }
});

test('terms can be opened, what the descriptor refers to has its name, and built files are folded', async () => {
  const typeId = stack.app.api.catalogue.entry('types', 'widget')?.id;
  const unknown = '5f1b2c3d-0000-4000-8000-0000000000cc';
  const members = { scope: 'opened', typeId, categoryId: unknown, cropIds: [] };
  const moduleId = await importAsVendor(stack, namedPackage(stack, members));
  const page = await openVendorPage(browser, stack.app.url);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`);
  const facts = page.locator('.facts').last();
  await facts.getByText('Widget').waitFor();
  await facts.getByText(unknown).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'ModuleToS/terms.md' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('terms.md');
  const built = page.getByRole('cell', { name: /^PackageArtifact\/build\// }).first();
  await expect.poll(() => built.isVisible()).toBe(false);
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
  await expect.poll(() => rows.count()).toBe(30);
  await expect.poll(() => rows.last().locator('td').textContent()).toBe('3');
  const figures = await page.locator('.figures dd').allTextContents();
  expect(figures).toEqual(['1', '1', '3', '0']);
});

test('the heading of a module that was never released has the name of its newest revision, also right after its import', async () => {
  const named = (moduleName: string, members: object = {}) => {
    const { catalogue } = stack.app.api;
    const languageIds = [catalogue.englishId, catalogue.entry('languages', 'de')?.id];
    const translations = languageIds.map((languageId) => ({ languageId, moduleName }));
    return namedPackage(stack, { scope: 'unreleased', translations, ...members });
  };
  const moduleId = await importAsVendor(stack, named('Draft one'), '?release=staged');
  await callAs(stack, 'vendor-admin', `PATCH /${VENDOR_ID}/modules/${moduleId}`, { releasePolicy: 'manual' });
  const page = await openVendorPage(browser, stack.app.url);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`);
  await page.getByRole('heading', { level: 1, name: 'Draft one' }).waitFor();
  await page.getByText('Update this module').click();
  const file = { name: 'two.zip', mimeType: 'application/zip', buffer: named('Draft two') };
  await page.setInputFiles('input[type=file]', file);
  await page.getByText('The module was updated.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Draft two' }).waitFor();
});
