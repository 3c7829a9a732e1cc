import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageForm } from '../support/test-app.ts';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { startPortalStack, VENDOR_ID } from './support/portal-stack.ts';
import type { PortalStack } from './support/portal-stack.ts';
import { namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ worker: false }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** Queues an import of the vendor's; gives its ID. */
async function queueImport(): Promise<string> {
  const answer = await stack.app.fetch(`/api/v8.0/${VENDOR_ID}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: await stack.bearer('vendor-admin'), Prefer: 'respond-async' },
    body: packageForm(namedPackage(stack), 'failing.zip'),
  });
  return String(answer.body.importId);
}

test('an import that failed is tried again, and ends well', async () => {
  const { api } = stack.app;
  const importId = await queueImport();
  const row = await api.database('imports').where({ id: importId }).first<{ uploadKey: string }>();
  const lost = namedPackage(stack);
  // The storage has lost the upload, and the job has but one attempt.
  await api.storage.remove(row.uploadKey);
  await (await api.queue.queue.getJob(importId))?.remove();
  await api.queue.queue.add('import-module', { importId }, { jobId: importId, attempts: 1 });
  await stack.app.startWorker();
  await expect
    .poll(async () => (await api.queue.queue.getJob(importId))?.getState(), { timeout: 20_000 })
    .toBe('failed');
  await api.storage.put(row.uploadKey, lost);

  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.getByRole('cell', { name: 'Demonstration vendor' }).waitFor();
  expect(await page.locator('.figures').textContent()).toMatch(/Workers alive1/);
  await page.getByRole('button', { name: 'Retry: failing.zip' }).click();
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByRole('cell', { name: 'Demonstration vendor' }).waitFor();
      return page.locator('tbody .badge').textContent();
    })
    .toBe('succeeded');
});

test('the queue dashboard opens without another sign-in', async () => {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.getByRole('button', { name: 'Open the queue dashboard' }).click();
  await page.getByRole('link', { name: 'import-module' }).first().waitFor();
});

test('who is no operator finds no such page', async () => {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Vera Vendor');
  await page.goto(`${stack.app.url}/portal/operations`);
  await page.getByText('There is nothing at this address.').waitFor();
});
