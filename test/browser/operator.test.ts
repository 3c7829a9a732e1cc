import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failImport } from '../support/fail-import.ts';
import { packageForm } from '../support/package-form.ts';
import { launchChromium, openPage, signIn, takeScreenshot } from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
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

/** Queues an import of the vendor; returns its ID. */
async function queueImport({ app, bearer } = stack): Promise<string> {
  const answer = await app.fetch(`/api/v8.0/${VENDOR_ID}/ImportModuleAsync`, {
    method: 'POST',
    headers: { Authorization: await bearer('vendor-admin'), Prefer: 'respond-async' },
    body: packageForm(namedPackage(stack), 'failing.zip'),
  });
  return String(answer.body.importId);
}

test('a failed import is explained, retried and succeeds', async () => {
  const { api } = stack.app;
  const importId = await queueImport();
  await failImport(api.database, importId);
  const { page, context } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  const failed = page.getByRole('region', { name: 'Failed imports' });
  await failed.getByText('failing.zip').click();
  const facts = failed.locator('.facts');
  for (const text of [
    importId,
    'Demonstration vendor',
    'Reading the archive',
    'Error: the storage is broken',
  ])
    await facts.getByText(text).waitFor();
  await stack.app.startWorker();
  await failed.getByRole('button', { name: 'Retry: failing.zip' }).click();
  await failed.getByText('There are no failed imports.').waitFor();
  await expect.poll(() => page.locator('.figures').textContent()).toMatch(/Active workers/);
  await expect
    .poll(async () => {
      await page.reload();
      return page.locator('.history .badge').first().textContent();
    })
    .toBe('succeeded');
  await context.close();
});

test('failed imports are retried all at once or dismissed, so that the list is empty', async () => {
  const idle = await startPortalStack({ worker: false });
  const importIds = [await queueImport(idle), await queueImport(idle), await queueImport(idle)];
  for (const importId of importIds) await failImport(idle.app.api.database, importId);
  const { page, context } = await openPage(browser);
  await signIn(page, idle.app.url, 'Otto Operator');
  const failed = page.getByRole('region', { name: 'Failed imports' });
  await failed.getByRole('button', { name: 'Dismiss: failing.zip' }).first().click();
  await expect.poll(() => failed.locator('.history > li').count()).toBe(2);
  await failed.getByRole('button', { name: 'Retry all' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry all' }).click();
  await failed.getByText('There are no failed imports.').waitFor();
  const rows = await idle.app.api.database('imports').select<{ status: string }[]>('status');
  expect(rows.map(({ status }) => status).toSorted()).toEqual(['failed', 'queued', 'queued']);
  await context.close();
  await idle.stop();
});

test('figures that cannot be read again stay with the reason, until they can', async () => {
  const { page, context } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.locator('.figures').first().waitFor();
  await context.route(/\/operations\/backlog/, (route) => route.abort());
  const reason = page.getByRole('alert').getByText('The service could not be reached.', { exact: false });
  await reason.waitFor();
  expect(await page.locator('.figures').first().textContent()).toMatch(/Active workers/);
  await context.unroute(/\/operations\/backlog/);
  await reason.waitFor({ state: 'detached' });
  await context.close();
});

/** More than a page of imports that were cancelled after this one. */
async function cancelMany({ app: { api } }: PortalStack, importId: string): Promise<void> {
  await api.database.raw(
    `insert into imports (id, organization_id, tenant_id, imported_by, status, validate_only, staged, new_module_id,
       size_bytes, sha256, trace_id, trace_parent)
     select gen_random_uuid(), organization_id, tenant_id, imported_by, 'cancelled', false, false, gen_random_uuid(),
       size_bytes, sha256, trace_id, trace_parent
     from imports, generate_series(1, 120) where id = ?`,
    [importId],
  );
}

test('only failed imports are listed, although a page of others came after them', async () => {
  const idle = await startPortalStack({ worker: false });
  const importId = await queueImport(idle);
  await idle.app.api.database('imports').where({ id: importId }).update({ status: 'failed' });
  await cancelMany(idle, importId);
  const { page, context } = await openPage(browser);
  await signIn(page, idle.app.url, 'Otto Operator');
  await page.locator('.history .badge', { hasText: 'cancelled' }).first().waitFor();
  const imports = page.getByRole('region', { name: 'Imports', exact: true });
  await expect.poll(() => imports.getByText('failing.zip').count()).toBe(0);
  await page.getByLabel('Failed imports only').check();
  await imports.getByText('failing.zip').waitFor();
  await expect.poll(() => imports.locator('.history > li').count()).toBe(1);
  await context.close();
  await idle.stop();
});

test('the vendor of a failed import is named, although many farms came after it', async () => {
  const idle = await startPortalStack({ worker: false });
  const { database } = idle.app.api;
  await failImport(database, await queueImport(idle));
  await database.raw(
    `insert into organizations (id, tenant_id, kind, name, created_by, updated_by)
     select gen_random_uuid(), tenant_id, 'farmer', 'A farm', created_by, updated_by
     from organizations, generate_series(1, 200) where id = ?`,
    [VENDOR_ID],
  );
  const { page, context } = await openPage(browser);
  await signIn(page, idle.app.url, 'Otto Operator');
  const failed = page.getByRole('region', { name: 'Failed imports' });
  await failed.getByText('Demonstration vendor · ').waitFor();
  await takeScreenshot(page, 'failed-imports-named');
  await failed.getByLabel('Organization').selectOption('Demonstration vendor');
  await failed.getByText('failing.zip').waitFor();
  await context.close();
  await idle.stop();
});

test('the queue dashboard opens without another sign-in, and loads nothing of other origins', async () => {
  const { page, context, requested, complaints } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  const before = requested.length;
  await page.getByRole('link', { name: 'Queue dashboard' }).click();
  await page.getByRole('link', { name: 'import-module' }).first().click();
  await page.waitForLoadState('networkidle');
  const ofBoard = requested.slice(before);
  expect(ofBoard).toContain(`${stack.app.url}/queues/`);
  expect(ofBoard.filter((address) => new URL(address).origin !== stack.app.url)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the queue dashboard leads to the deliveries of webhooks, which are no jobs', async () => {
  const { page, context } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.goto(`${stack.app.url}/queues/`);
  // The last of the icons in the head opens the links.
  await page.locator('ul[class^="actions"] > li').last().getByRole('button').click();
  await page.getByText('Webhook deliveries and failed imports').click();
  await page.waitForURL(`${stack.app.url}/portal/operations`);
  const figures = page.locator('.figures');
  await figures.getByText('Waiting deliveries of webhooks').waitFor();
  await figures.getByText('Failing webhooks').waitFor();
  await context.close();
});

test('the queue dashboard redirects to the sign-in and back, and refuses users who are not operators', async () => {
  const { page, context } = await openPage(browser);
  await page.goto(`${stack.app.url}/queues/`);
  await page.getByRole('link', { name: 'Vera Vendor' }).click();
  await page.getByRole('alert').getByText('for operators').waitFor();
  await page.getByRole('link', { name: 'Sign in as an operator' }).click();
  await page.getByRole('link', { name: 'Otto Operator' }).click();
  await page.getByRole('link', { name: 'import-module' }).first().waitFor();
  await context.close();
});

test('users who are not operators cannot find the page', async () => {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Vera Vendor');
  await page.goto(`${stack.app.url}/portal/operations`);
  await page.getByText('Page not found.').waitFor();
});
