import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runHere } from '../support/run-modulectl.ts';
import { expectAccessible, launchChromium, openPage, takeScreenshot } from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

test('modulectl login is approved in a browser, by the code that both show', async () => {
  const scratch = path.join(inject('scratch'), `device-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  const { page, complaints } = await openPage(browser);
  const approvals: Promise<void>[] = [];
  const approve = async (address: string) => {
    const code = new URL(address).searchParams.get('user_code') ?? '';
    await page.goto(new URL('/device', address).href);
    await page.getByLabel('The code that modulectl shows').fill(code.toLowerCase().replace('-', ' '));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(code).waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'device-sign-in');
    await page.getByRole('button', { name: 'Vera Vendor' }).click();
    await page.getByText('modulectl is signed in as Vera Vendor').waitFor();
  };
  const onMessage = (text: string) => {
    const [address] = /http:\S+user_code=\S+/.exec(text) ?? [];
    if (address !== undefined) approvals.push(approve(address));
  };
  const args = ['login', '--server', stack.app.url, '--org', VENDOR_ID];
  const { exitCode, stderr } = await runHere(args, { scratch, onMessage });
  await Promise.all(approvals);
  expect([exitCode, stderr], stderr).toEqual([0, expect.stringContaining(`Signed in to ${stack.app.url}.`)]);
  expect(complaints).toEqual([]);
});
