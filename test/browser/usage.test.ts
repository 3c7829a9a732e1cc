import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageForm } from '../support/package-form.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  const { app, bearer } = stack;
  const answer = await app.fetch(`/api/v8.0/${VENDOR_ID}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: await bearer('vendor-admin') },
    body: packageForm(namedPackage(stack), 'stored.zip'),
  });
  expect(answer.status, answer.text).toBe(200);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

test('operators see what organizations store, most bytes first, with bars for the used parts of their quotas', async () => {
  const { page, context } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  const rows = page.getByRole('region', { name: 'Storage' }).locator('tbody tr');
  await rows.first().waitFor();
  await expect.poll(() => rows.first().locator('th').textContent()).toBe('Demonstration vendor');
  await expect.poll(() => rows.first().textContent()).toMatch(/kB · 0% of the quota/);
  const shares = await rows
    .locator('progress')
    .evaluateAll((bars) =>
      bars.map((bar) => Number(bar.getAttribute('value')) / Number(bar.getAttribute('max'))),
    );
  const answer = await stack.app.fetch('/api/v8.0/operations/usage', {
    headers: { Authorization: await stack.bearer('operator') },
  });
  const items = answer.body.items as readonly { storedBytes: number; maxStoredBytes: number }[];
  expect(shares).toEqual(items.map(({ storedBytes, maxStoredBytes }) => storedBytes / maxStoredBytes));
  expect(shares[0]).toBeGreaterThan(0);
  expect(shares.length).toBeGreaterThan(1);
  await expectAccessible(page);
  await takeScreenshot(page, 'operator-usage');
  await page.setViewportSize({ width: 360, height: 740 });
  const sentences = page.getByRole('list', { name: 'Storage' });
  await sentences.getByText('Imports in 24 hours').first().waitFor();
  expect(await sentences.getByRole('listitem').first().textContent()).toMatch(
    /^Demonstration vendor.*kB · 0% of the quota/,
  );
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await takeScreenshot(page, 'operator-usage-360');
  await context.close();
});

test('the storage of organizations is shown in German to a German browser', async () => {
  const { page, context } = await openPage(browser, { locale: 'de-DE' });
  await signIn(page, stack.app.url, 'Otto Operator');
  const table = page.getByRole('region', { name: 'Speicherplatz' });
  await table.locator('tbody tr').first().waitFor();
  await expect.poll(() => table.textContent()).toMatch(/Importe in 24 Stunden.*kB · 0\s%\sdes Kontingents/);
  await context.close();
});
