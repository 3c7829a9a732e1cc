import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  tabTo,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { rainPackage } from './support/rain-package.ts';
import { callAs, importAsVendor } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

async function openOffer(moduleId: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { page } = await openPage(browser, options);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/market/${moduleId}`);
  return page;
}

const areaIds = (...keys: readonly string[]) =>
  keys.map((key) => stack.app.api.catalogue.entry('dataAreas', key)?.id);

/** Sets whether the operator has checked who the vendor is. */
async function verifyVendor(verified: boolean): Promise<void> {
  const path = `/organizations/${VENDOR_ID}`;
  const { name, kind, tenantId } = await callAs(stack, 'operator', `GET ${path}`);
  await callAs(stack, 'operator', `PUT ${path}`, { name, kind, tenantId, verified });
}

/** Checks the box with this label, by keyboard alone. */
async function check(page: Page, label: string): Promise<void> {
  const focused = "(document.activeElement?.closest('label')?.textContent ?? '').trim()";
  for (let pressed = 0; pressed < 60; pressed += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate<string>(focused)).startsWith(label)) continue;
    await page.keyboard.press('Space');
    return;
  }
  throw new Error(`Tab does not reach ${label}`);
}

const press = async (page: Page, name: string) => {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
};

/** The words of the pages in the languages of the test. */
const WORDS = {
  'en-GB': {
    name: 'Rain radar',
    install: 'Install: Rain radar',
    installs: 'Install free for 30 days',
    cost: 'Free for 30 days, then €9.90 per month · Europe',
    notVerified: 'not verified',
    reason: 'The vendor’s reason: To place the rain.',
    terms: 'Terms: Rain terms (as of',
    agree: 'I have read the terms',
    review: 'Review update: Rain radar',
    since: 'What changed since you agreed on',
    changed: [
      'Its price is another one.',
      'It asks for more data: Farm organization alerts, Farm members.',
      'It no longer asks for: ADMA master data.',
      'Its terms are new.',
    ],
    newCost: '€12.50 per month after 30 free days · Europe',
    verified: 'The operator of this marketplace has checked who the vendor is.',
    areas: ['Farm organization alerts', 'Farm members'],
    keep: 'Update without sharing more',
    updates: 'Update and share 2 more data areas',
    notes: 'What is new in Rain radar 1.1',
    close: 'Close',
    change: 'Change access: Rain radar',
    updated: 'What is new in Rain radar',
  },
  'de-DE': {
    name: 'Regenradar',
    install: 'Installieren: Regenradar',
    installs: '30 Tage kostenlos installieren',
    cost: '30 Tage kostenlos, dann 9,90 € pro Monat · Europa',
    notVerified: 'nicht geprüft',
    reason: 'Grund des Anbieters: Um den Regen zuzuordnen.',
    terms: 'Bedingungen: Rain terms (Stand',
    agree: 'Ich habe die Bedingungen gelesen',
    review: 'Neue Version ansehen: Regenradar',
    since: 'Was sich seit Ihrer Zustimmung vom',
    changed: [
      'Der Preis ist ein anderer.',
      'Es bittet um mehr Daten: Warnungen der Betriebe, Mitarbeiter.',
      'Es bittet nicht mehr um: ADMA-Stammdaten.',
      'Die Bedingungen sind neu.',
    ],
    newCost: '12,50 € pro Monat nach 30 kostenlosen Tagen · Europa',
    verified: 'Der Betreiber dieses Marktplatzes hat geprüft, wer der Anbieter ist.',
    areas: ['Warnungen der Betriebe', 'Mitarbeiter'],
    keep: 'Aktualisieren, ohne mehr zu teilen',
    updates: 'Aktualisieren und 2 Datenbereiche mehr teilen',
    notes: 'Neu in Regenradar 1.1',
    close: 'Schließen',
    change: 'Zugriff ändern: Regenradar',
    updated: 'Neu in Regenradar',
  },
} as const;

/** A version of the module: the first, or one with other areas, price and terms. */
function version(scope: string, members: object = {}, terms?: string): Buffer {
  const { catalogue } = stack.app.api;
  const [area = ''] = areaIds('FarmOrganization');
  const releaseNotes = '# Faster\n\nMaps load at once.';
  const translations = [
    {
      languageId: catalogue.englishId,
      ...{ moduleName: 'Rain radar', releaseNotes, dataAreaReasons: { [area]: 'To place the rain.' } },
    },
    {
      languageId: catalogue.entry('languages', 'de')?.id,
      ...{ moduleName: 'Regenradar', dataAreaReasons: { [area]: 'Um den Regen zuzuordnen.' } },
    },
  ];
  const dataAreaIds = areaIds('FarmOrganization', 'ADMAMasterdata');
  return rainPackage(stack, { scope, translations, dataAreaIds, ...members }, terms);
}

const update = (scope: string, moduleId: string, members: object = {}) =>
  importAsVendor(
    stack,
    version(
      scope,
      {
        moduleId,
        dataAreaIds: areaIds('FarmOrganization', 'FarmOrganizationAlerts', 'FarmMember'),
        subscriptionOptions: [priceOf(12.5, 'monthly')],
        vendorInternalCodeVersion: '1.1',
        ...members,
      },
      '# Other terms',
    ),
  );

const priceOf = (price: number, cycle: string, trialLength: number | null = 30) => {
  const idOf = (set: string, key: string) => stack.app.api.catalogue.entry(set, key)?.id;
  return {
    ...{ price, trialLength, regionId: idOf('regions', 'europe') },
    ...{ paymentCycleId: idOf('paymentCycles', cycle), currencyId: idOf('currencies', 'EUR') },
  };
};

describe.each([
  ['en-GB', 360],
  ['en-GB', 1280],
  ['de-DE', 360],
  ['de-DE', 1280],
] as const)('in %s at %i pixels, by keyboard alone', (locale, width) => {
  const words = WORDS[locale];
  const scope = `rain-${locale}-${width}`;
  const options = { locale, viewport: { width, height: 800 } };

  test('a farmer installs a module with its cost, vendor, reasons and terms in sight, and a new version says what changed', async () => {
    await verifyVendor(false);
    const moduleId = await importAsVendor(stack, version(scope));
    const page = await openOffer(moduleId, options);
    const dialog = page.getByRole('dialog');
    const shows = async (texts: readonly string[]) => {
      for (const text of texts) await dialog.getByText(text).first().waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    };
    const button = (name: string) => dialog.getByRole('button', { name });
    await page.getByRole('button', { name: words.install }).waitFor();
    await press(page, words.install);
    await shows([words.cost, words.notVerified, words.reason, words.terms]);
    expect((await dialog.locator('form > *').first().innerText()).replaceAll(/\s/g, ' ')).toBe(words.cost);
    await takeScreenshot(page, `consent-install-${locale}-${width}`);
    await expect.poll(() => button(words.installs).isDisabled()).toBe(true);
    await check(page, words.agree);
    await press(page, words.installs);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: words.change }).waitFor();

    await verifyVendor(true);
    await update(scope, moduleId);
    await page.reload();
    await page.getByRole('button', { name: words.review }).waitFor();
    await press(page, words.review);
    await shows([words.newCost, words.since, ...words.changed, words.verified]);
    await expect.poll(() => button(words.keep).isDisabled()).toBe(true);
    for (const area of words.areas) await check(page, area);
    await check(page, words.agree);
    await takeScreenshot(page, `consent-update-${locale}-${width}`);
    await press(page, words.updates);
    await page.getByRole('heading', { name: words.notes }).waitFor();
    await shows(['Maps load at once.']);
    await takeScreenshot(page, `consent-notes-${locale}-${width}`);
    await press(page, words.close);
    await page.getByRole('button', { name: words.change }).waitFor();
    const { items } = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/consents?moduleId=${moduleId}`);
    expect(items).toMatchObject([
      { seenRevision: 2, dataAreaIds: expect.arrayContaining(areaIds('FarmMember')) as string[] },
      { seenRevision: 1 },
    ]);

    // A version that needs no more asks nothing, and says where its notes are.
    await update(scope, moduleId, { vendorInternalCodeVersion: '1.2' });
    await page.goto(`${stack.app.url}/portal/${FARM_ID}/market`);
    const card = page.locator('.card', { has: page.locator(`a[href$="${moduleId}"]`) });
    await card.getByRole('link', { name: words.updated }).waitFor();
    await expect.poll(() => card.getByRole('button', { name: words.review }).count()).toBe(0);
    await expectAccessible(page);
    await callAs(stack, 'vendor-admin', `DELETE /${VENDOR_ID}/modules/${moduleId}`);
  });
});

test('of several prices the dialog lists all and its button promises nothing; without a price it says so', async () => {
  const several = { subscriptionOptions: [priceOf(9.9, 'monthly'), priceOf(99, 'yearly', null)] };
  const page = await openOffer(await importAsVendor(stack, version('several', several)));
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Install: Rain radar' }).click();
  await dialog.getByText('The vendor names several prices:').waitFor();
  await dialog.getByText('Free for 30 days, then €9.90 per month · Europe').waitFor();
  await dialog.getByText('€99.00 per year · Europe').waitFor();
  await dialog.getByRole('button', { name: 'Install', exact: true }).waitFor();
  const noneId = await importAsVendor(stack, version('none', { subscriptionOptions: [] }));
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/market/${noneId}`);
  await page.getByRole('button', { name: 'Install: Rain radar' }).click();
  await dialog.getByText('The vendor names no price.').waitFor();
  await dialog.getByRole('button', { name: 'Install', exact: true }).waitFor();
});

test('a price is shown with all its decimal places, and with at least those that its currency has', async () => {
  const currencyId = stack.app.api.catalogue.entry('currencies', 'JPY')?.id;
  const prices = [0.004, 12.345, 12.35, 9].map((price) => priceOf(price, 'monthly', null));
  const subscriptionOptions = [...prices, { ...priceOf(99.5, 'monthly', null), currencyId }];
  const page = await openOffer(await importAsVendor(stack, version('exact', { subscriptionOptions })));
  await page.getByRole('button', { name: 'Install: Rain radar' }).click();
  const dialog = page.getByRole('dialog');
  for (const amount of ['€0.004', '€12.345', '€12.35', '€9.00', '¥99.5'])
    await dialog.getByText(`${amount} per month · Europe`, { exact: true }).waitFor();
});

test('a farmer who does not accept other terms can still take data areas from the module', async () => {
  const moduleId = await importAsVendor(stack, version('taken'));
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/installations/${moduleId}`, {});
  await update('taken', moduleId);
  const page = await openOffer(moduleId);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Review update: Rain radar' }).click();
  await dialog.getByLabel(/^Farm organization\s*Your/).uncheck();
  await dialog.getByRole('button', { name: 'Stop sharing 1 data area' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Its terms have changed.').waitFor();
  const installed = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/installations/${moduleId}`);
  expect(installed).toMatchObject({ acceptedDataAreaIds: [], consentPending: true });
});

test('an offer that changes while its dialog is open is shown anew, with what changed, and the farmer agrees again', async () => {
  const { catalogue } = stack.app.api;
  const areaId = (key: string) => catalogue.entry('dataAreas', key)?.id;
  const dataAreaReasons = { [String(areaId('FarmOrganization'))]: 'To place the hail.' };
  const releaseNotes = '# Faster\n\n<b>Maps</b> load at once.';
  const texts = { moduleName: 'Hail radar', dataAreaReasons, releaseNotes };
  const translations = [{ languageId: catalogue.englishId, ...texts }];
  const offered = { scope: 'hailRadar', translations, dataAreaIds: [areaId('FarmOrganization')] };
  const hailId = await importAsVendor(stack, rainPackage(stack, offered));
  const page = await openOffer(hailId);
  await page.getByRole('heading', { name: 'Faster' }).waitFor();
  await page.getByText('<b>Maps</b> load at once.').waitFor();
  await page.getByRole('button', { name: 'Install: Hail radar' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The vendor’s reason: To place the hail.').waitFor();
  const agree = () => dialog.getByLabel('I have read the terms and accept them').check();
  await agree();
  await dialog.getByText('€9.90 per month').waitFor();
  const dataAreaIds = [areaId('FarmOrganization'), areaId('FarmMember')];
  await importAsVendor(
    stack,
    rainPackage(stack, { ...offered, moduleId: hailId, dataAreaIds }, '# Harder terms'),
  );
  const install = dialog.getByRole('button', { name: 'Install' });
  await install.click();
  const note = dialog.getByRole('alert');
  await note.getByText('data areas (+ Farm members), terms').waitFor();
  await expect.poll(() => install.isDisabled()).toBe(true);
  await expect.poll(() => dialog.getByLabel(/^Farm members/).isChecked()).toBe(false);
  await dialog.getByText('Terms: Harder terms').click();
  await dialog.getByRole('heading', { name: 'Harder terms' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'offer-changed');
  await agree();
  await install.click();
  await page.getByRole('button', { name: 'Uninstall: Hail radar' }).waitFor();
  const { items } = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/consents?moduleId=${hailId}`);
  expect(items).toMatchObject([{ revision: 2, seenRevision: 2, dataAreaIds: [areaId('FarmOrganization')] }]);
});
