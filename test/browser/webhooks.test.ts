import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOPBACK_WEBHOOKS } from '../support/webhook-module.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openVendorPage,
  tabTo,
  takeScreenshot,
} from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ settings: LOOPBACK_WEBHOOKS }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

interface Opened {
  readonly page: Page;
  readonly moduleId: string;
  /** The webhooks as the API lists them. */
  readonly stored: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

async function openModule(scope: string): Promise<Opened> {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope }));
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/dev`);
  await page.getByText('There are no webhooks yet.').waitFor();
  const stored = async () =>
    (await callAs(stack, 'vendor-admin', `GET /${VENDOR_ID}/webhooks/${moduleId}`))[
      'items'
    ] as readonly Record<string, unknown>[];
  return { page, moduleId, stored };
}

async function addWebhook(page: Page, url: string): Promise<string> {
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByRole('button', { name: 'Add Webhook' }).click();
  const secret = await dialog.getByRole('textbox', { name: 'Secret' }).inputValue();
  await dialog.getByRole('button', { name: 'I have saved the secret' }).click();
  await page.getByRole('heading', { name: url }).waitFor();
  return secret;
}

test('a webhook is added with its secret shown once, tested, and its calls are listed and delivered again', async () => {
  const receiver = await startReceiver();
  const { page, moduleId } = await openModule('webhooks');
  expect(await addWebhook(page, receiver.url)).toMatch(/^whsec_/);
  expect(await page.content()).not.toContain('whsec_');
  await page.getByRole('button', { name: `Send test event: ${receiver.url}` }).click();
  await page.getByText('The test event was sent.').waitFor();
  await expect.poll(() => receiver.calls.length).toBe(1);
  await importAsVendor(stack, namedPackage(stack, { moduleId, scope: 'webhooks', component: 'next' }));
  // The revision, and the end of its import.
  await expect.poll(() => receiver.calls.length).toBe(3);
  await page.getByText('Calls', { exact: true }).click();
  const refresh = page.getByRole('button', { name: 'Refresh', exact: true });
  await refresh.waitFor();
  const again = page.getByRole('button', { name: 'Deliver again: revision.released' });
  await expect
    .poll(async () => {
      await refresh.click();
      return again.count();
    })
    .toBe(1);
  await page.getByRole('cell', { name: '204' }).first().waitFor();
  await takeScreenshot(page, 'webhook-calls');
  await expectAccessible(page);
  await again.click();
  await page.getByText('The event will be delivered again.').waitFor();
  await expect.poll(() => receiver.calls.length).toBe(4);
  expect(receiver.calls.slice(1, 3).map(({ id }) => id)).toContain(receiver.calls[3]?.id);
});

test('its events are edited, its keys rotated, it is paused, enabled and deleted', async () => {
  const receiver = await startReceiver();
  const { page, stored } = await openModule('webhooksEdited');
  const secret = await addWebhook(page, receiver.url);
  const press = (name: string) => page.getByRole('button', { name: `${name}: ${receiver.url}` }).click();
  const dialog = page.getByRole('dialog');
  await press('Edit');
  await dialog.getByLabel('All events').uncheck();
  for (const box of await dialog.getByRole('checkbox', { name: /^structures\.|^revision\./ }).all())
    await box.uncheck();
  await takeScreenshot(page, 'webhook-edit');
  await expectAccessible(page);
  await dialog.getByLabel('Description').fill('The advice server');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The advice server').waitFor();
  const [{ types } = { types: [] }] = await stored();
  expect(types).toContain('rule.created');
  expect(types).not.toContain('structures.changed');
  await press('Rotate keys');
  await dialog.getByRole('button', { name: 'Rotate keys' }).click();
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Secret' }).inputValue()).not.toBe(secret);
  await dialog.getByRole('button', { name: 'I have saved the secret' }).click();
  await press('Pause');
  await page.getByText('paused', { exact: true }).waitFor();
  await press('Enable');
  await page.getByText('enabled', { exact: true }).waitFor();
  await press('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no webhooks yet.').waitFor();
  expect(await stored()).toEqual([]);
});

test('editing a webhook keeps what another administrator changed in it since the page was opened', async () => {
  const receiver = await startReceiver();
  const { page, moduleId, stored } = await openModule('webhooksOfTwo');
  await addWebhook(page, receiver.url);
  const [{ id } = { id: '' }] = await stored();
  const moved = { url: `${receiver.url}/moved`, types: ['rule.created'] };
  await callAs(stack, 'vendor-admin', `PATCH /${VENDOR_ID}/webhooks/${moduleId}/${String(id)}`, moved);
  await page.getByRole('button', { name: `Edit: ${receiver.url}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('The advice server');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The advice server').waitFor();
  expect(await stored()).toMatchObject([{ ...moved, description: 'The advice server' }]);
});

test('a webhook that the service disabled shows why, fits a phone, and is enabled again', async () => {
  const receiver = await startReceiver((_call, response) => response.writeHead(410).end());
  const { page, stored } = await openModule('webhooksGone');
  await addWebhook(page, receiver.url);
  await page.getByRole('button', { name: 'Send test event' }).click();
  await expect.poll(async () => (await stored())[0]?.['status']).toBe('disabled');
  await page.reload();
  await page.getByText('its receiver answered 410 Gone').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Send test event' }).count()).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  await takeScreenshot(page, 'webhook-disabled-phone');
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('enabled', { exact: true }).waitFor();
});

test('a webhook whose key was lost asks for new keys, and not for a corrected receiver', async () => {
  const receiver = await startReceiver();
  const { page, moduleId } = await openModule('webhooksUnsigned');
  await addWebhook(page, receiver.url);
  // Keys that none opens: a worker enables it otherwise.
  const sealedKeys = Buffer.concat([Buffer.from([4]), Buffer.from('lost'), Buffer.alloc(60)]);
  const disabled = { status: 'disabled', disabledReason: 'key-missing', sealedKeys };
  await stack.app.api.database('webhooks').where({ moduleId }).update(disabled);
  await page.reload();
  const note = page.locator('.note.warn', { hasText: 'Make new keys' });
  await note.getByText('What has happened since then waits.').waitFor();
  await takeScreenshot(page, 'webhook-key-missing');
  expect(await note.textContent()).not.toContain('Correct the receiver');
});

test('an address that is not allowed is reported in the dialog, which stays open', async () => {
  const { page, stored } = await openModule('webhooksInside');
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('https://10.0.0.1/hook');
  await dialog.getByRole('button', { name: 'Add Webhook' }).click();
  await dialog.getByText('the address is not on the public internet').waitFor();
  expect(await stored()).toEqual([]);
});

test('a webhook can be added and its calls opened with only the keyboard', async () => {
  const receiver = await startReceiver();
  const { page, stored } = await openModule('webhooksByKeyboard');
  await tabTo(page, 'Add Webhook');
  await page.keyboard.press('Enter');
  await page.getByLabel('Address').press('Control+a');
  await page.keyboard.type(receiver.url);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Secret' }).waitFor();
  await tabTo(page, 'I have saved the secret');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: receiver.url }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await stored()).toHaveLength(1);
  await tabTo(page, 'Calls');
  await page.keyboard.press('Enter');
  await page.getByText('There have been no calls yet.').waitFor();
});
