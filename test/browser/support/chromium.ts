import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import axe from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';

const SCREENSHOTS = path.resolve(import.meta.dirname, '../../../screenshots');

/** The headless shell of Chromium: the full program loads pages of its own for each window. It resolves no names, so a request to another origin would fail. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: inject('chromiumProgram') ?? '',
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost'],
  });
}

/** A page of a fresh browser profile, with all its requests and errors. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The address of every request. */
  readonly requested: readonly string[];
  /** Errors of scripts, and violations of the content policy. */
  readonly complaints: readonly string[];
}

/** Opens a page for the running test: a page that stays open goes on reading what changes. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
  onTestFinished(async () => context.close());
  const page = await context.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, context, requested, complaints };
}

/** Signs in as a demonstration account, with the two clicks that this needs. */
export async function signIn(page: Page, url: string, accountName: string): Promise<void> {
  await page.goto(`${url}/portal`);
  // In any language.
  await page.locator('.welcome [role=button]').click();
  await page.getByRole('link', { name: accountName }).click();
  await page.getByText(accountName).waitFor();
}

/** A page on which the vendor's administrator sees the vendor's modules. */
export async function openVendorPage(browser: Browser, url: string): Promise<Page> {
  const { page } = await openPage(browser);
  await signIn(page, url, 'Vera Vendor');
  await page.getByRole('heading', { name: 'My Modules' }).waitFor();
  return page;
}

/** Expects that the page has no axe violations. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate<string[]>(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))",
  );
  expect(violations).toEqual([]);
}

/** Expects that the page does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, shown] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(content).toBeLessThanOrEqual(shown);
}

/** Saves a screenshot of the page for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

const MAX_TABS = 60;

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    const focused = await page.evaluate<string>(
      "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()",
    );
    if (focused === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}`);
}
