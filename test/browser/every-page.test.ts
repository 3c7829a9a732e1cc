import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  takeScreenshot,
  type WatchedPage,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { seedPages } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;
let moduleId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  moduleId = await seedPages(stack);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** Every page: its name, its address, and what shows that it has loaded. */
function pagesOf(account: string): readonly (readonly [name: string, path: string, sign: string])[] {
  const module = `${VENDOR_ID}/modules/${moduleId}`;
  const pages: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
    'Vera Vendor': [
      ['modules', `${VENDOR_ID}/modules`, '.card'],
      ['imports', `${VENDOR_ID}/imports`, '.history'],
      ['overview', module, '.facts'],
      ['statistics', `${module}/statistics`, '.chart'],
      ['releases', `${module}/releases`, '.chart'],
      ['preview', `${module}/preview?revision=1`, '.offer'],
      ['revisions', `${module}/revisions`, '.changes'],
      ['module-imports', `${module}/imports`, '.history'],
      ['dev-resources', `${module}/dev`, 'section:last-of-type table'],
      ['rules-preview', `${module}/rules`, '.fields'],
      ['roles', `${module}/roles`, '.facts'],
      ['vendor-members', `${VENDOR_ID}/members`, '.badge'],
      ['vendor-audit', `${VENDOR_ID}/auditLog`, '.log li'],
      ['sessions', 'sessions', 'tbody tr'],
    ],
    'Fiona Farmer': [
      ['farms', `${FARM_ID}/farms`, 'svg'],
      ['market', `${FARM_ID}/market`, '.areas'],
      ['application', `${FARM_ID}/apps/${moduleId}`, 'iframe'],
      ['rules', `${FARM_ID}/rules`, '.card-foot'],
      ['alerts', `${FARM_ID}/alerts`, '.alert'],
      ['notifications', `${FARM_ID}/notifications`, '.facts'],
      ['farmer-audit', `${FARM_ID}/auditLog`, '.log li'],
    ],
    'Otto Operator': [
      ['operations', 'operations', '.history'],
      ['operator-audit', 'operations/auditLog', '.log li'],
    ],
  };
  return pages[account] ?? [];
}

/** Visits every page of an account, and does something on each. */
async function visit(
  account: string,
  options: BrowserContextOptions,
  act: (page: Page, name: string) => Promise<void>,
): Promise<WatchedPage> {
  const watched = await openPage(browser, options);
  await signIn(watched.page, stack.app.url, account);
  for (const [name, path, sign] of pagesOf(account)) {
    await watched.page.goto(`${stack.app.url}/portal/${path}`);
    await watched.page.locator(sign).first().waitFor();
    await act(watched.page, name);
  }
  return watched;
}

const ACCOUNTS = ['Vera Vendor', 'Fiona Farmer', 'Otto Operator'];
const PHONE = { viewport: { width: 360, height: 740 } };

describe.each(ACCOUNTS)('the pages of %s', (account) => {
  test('have no axe violations in light and dark, send no request to another origin, and violate no policy', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const watched = await visit(account, { colorScheme }, async (page, name) => {
        await takeScreenshot(page, `${name}-${colorScheme}`);
        await expectAccessible(page);
      });
      const portal = watched.requested.slice(
        watched.requested.findLastIndex((each) => each.includes('/callback')),
      );
      // The frame of an application is a page of its own.
      const own = portal.filter((each) => !new URL(each).hostname.endsWith('.modules.localhost'));
      expect([...new Set(own.map((each) => new URL(each).origin))]).toEqual([stack.app.url]);
      expect(watched.complaints).toEqual([]);
    }
  });

  test('do not scroll sideways on a phone and have no axe violations there', async () => {
    const watched = await visit(account, PHONE, async (page, name) => {
      await takeScreenshot(page, `${name}-phone`);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
    });
    expect(watched.complaints).toEqual([]);
  });

  test('are in German for a German browser', async () => {
    await visit(account, { locale: 'de-DE' }, async (page, name) => {
      await takeScreenshot(page, `${name}-german`);
      expect(await page.locator('html').getAttribute('lang')).toBe('de');
      await expect.poll(() => page.locator('body').textContent()).toContain('Abmelden');
      await expectNoSidewaysScroll(page);
    });
  });
});

test("a module's name is in the reader's language", async () => {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Vera Vendor');
  await page.getByRole('link', { name: 'Soil moisture', exact: true }).waitFor();
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('link', { name: 'Bodenfeuchte', exact: true }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Meine Module' }).waitFor();
});

test('the sign-in page and every dialog have no axe violations, also on a phone', async () => {
  const { page } = await openPage(browser, PHONE);
  await page.goto(`${stack.app.url}/portal`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'sign-in-phone');
  await signIn(page, stack.app.url, 'Vera Vendor');
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/dev`);
  for (const name of [
    'Add App',
    /^Rotate:/,
    /^Revoke/,
    'Add Publisher',
    /^Remove/,
    'Add Webhook',
    /^Rotate keys/,
  ]) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `dialog-${String(name).replaceAll(/\W/g, '')}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

test('the first load transfers less than 200 KB', async () => {
  const { page } = await openPage(browser);
  let sentBytes = 0;
  page.on('response', (response) => {
    void response
      .request()
      .sizes()
      .then(({ responseBodySize, responseHeadersSize }) => {
        sentBytes += responseBodySize + responseHeadersSize;
      });
  });
  await page.goto(`${stack.app.url}/portal`, { waitUntil: 'networkidle' });
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await expect.poll(() => sentBytes).toBeGreaterThan(10_000);
  expect(sentBytes).toBeLessThan(200_000);
});
