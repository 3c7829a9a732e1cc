import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  tabTo,
  takeScreenshot,
} from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ worker: false }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const VENDOR = 'Demonstration vendor';

const WORDS = {
  'en-GB': {
    suspend: 'Suspend',
    reason: 'Reason',
    farmers: 'Farmers that have its modules installed',
    lose: 'They lose its modules until the suspension is lifted',
    suspended: 'suspended',
    lift: 'Lift suspension',
    active: 'active',
    limits: 'Limits',
    imports: 'Imports a minute',
    revisions: 'Revisions of a module; the oldest are deleted',
    save: 'Save',
    verify: 'Mark as verified',
    verified: 'No longer verified',
  },
  'de-DE': {
    suspend: 'Sperren',
    reason: 'Grund',
    farmers: 'Betriebe, die ihre Module installiert haben',
    lose: 'Sie verlieren die Module, bis die Sperre aufgehoben wird',
    suspended: 'gesperrt',
    lift: 'Sperre aufheben',
    active: 'aktiv',
    limits: 'Grenzen',
    imports: 'Importe je Minute',
    revisions: 'Revisionen eines Moduls; die ältesten werden gelöscht',
    save: 'Speichern',
    verify: 'Als geprüft kennzeichnen',
    verified: 'Nicht mehr geprüft',
  },
} as const;

test.each([
  ['en-GB', 1280],
  ['de-DE', 360],
] as const)(
  'in %s at %i pixels an operator suspends an organization by keyboard, lifts it, sets its limits and marks it as verified',
  async (locale, width) => {
    const words = WORDS[locale];
    const { page } = await openPage(browser, { locale, viewport: { width, height: 800 } });
    await signIn(page, stack.app.url, 'Otto Operator');
    await page.goto(`${stack.app.url}/portal/operations`);
    // A phone shows a sentence for each organization in place of a row.
    const row = page
      .getByRole(width === 360 ? 'listitem' : 'row')
      .filter({ has: page.getByRole('button', { name: `${words.limits}: ${VENDOR}` }) });
    const button = (text: string) => row.getByRole('button', { name: `${text}: ${VENDOR}` });
    const dialog = page.getByRole('dialog');
    const read = (path: string) => callAs(stack, 'operator', `GET ${path}`);
    const looksRight = async (name: string) => {
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await takeScreenshot(page, `organizations-${name}-${locale}`);
    };

    await button(words.suspend).focus();
    await page.keyboard.press('Enter');
    await dialog.getByLabel(words.reason).fill('Unpaid invoices.');
    await dialog.getByLabel(words.farmers).selectOption(words.lose);
    await looksRight('suspend');
    await tabTo(page, words.suspend);
    await page.keyboard.press('Enter');
    await row.getByText(words.suspended).waitFor();
    await row.getByText('Unpaid invoices.').waitFor();
    await row.getByText(words.lose).waitFor();
    await looksRight('suspended');
    const suspension = { reason: 'Unpaid invoices.', farmersKeepAccess: false };
    expect(await read(`/organizations/${VENDOR_ID}`)).toMatchObject({ suspension });

    await button(words.lift).click();
    await dialog.getByRole('button', { name: words.lift }).click();
    await row.getByText(words.active, { exact: true }).waitFor();
    expect(await read(`/organizations/${VENDOR_ID}`)).toMatchObject({ suspension: null });

    await button(words.limits).click();
    await dialog.getByLabel(words.revisions).waitFor();
    await dialog.getByLabel(words.imports).fill('10');
    await looksRight('limits');
    await dialog.getByRole('button', { name: words.save }).click();
    await dialog.waitFor({ state: 'detached' });
    const limits = `/operations/organizations/${VENDOR_ID}/limits`;
    expect(await read(limits)).toMatchObject({ own: { maxImportsPerMinute: 10 } });
    await button(words.limits).click();
    await expect.poll(() => dialog.getByLabel(words.imports).inputValue()).toBe('10');
    await dialog.getByLabel(words.imports).fill('');
    await dialog.getByRole('button', { name: words.save }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await read(limits)).toMatchObject({ own: {} });

    await button(words.verify).click();
    await button(words.verified).waitFor();
    expect(await read(`/organizations/${VENDOR_ID}`)).toMatchObject({ verified: true, name: VENDOR });
    await button(words.verified).click();
    await button(words.verify).waitFor();
  },
);
