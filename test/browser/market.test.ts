import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TINY_SVG } from '../support/package-builder.ts';
import { PIXEL, samplePackage } from '../support/sample-package.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  tabTo,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, VENDOR_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;
let moduleId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  moduleId = await importAsVendor(stack, rainPackage());
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const DESCRIPTION = `# When it rains

Says **when** to irrigate. [Manual](https://rain.example/manual) [bad](javascript:alert(1)) <script>alert(1)</script>

- by field
- by block

![tracked](https://rain.example/pixel.png)`;

/** A package with everything that the page of a module shows. */
function rainPackage(members: object = {}, terms = '# Rain terms'): Buffer {
  const { catalogue } = stack.app.api;
  const idOf = (set: string, key: string) => catalogue.entry(set, key)?.id;
  const descriptor = {
    scope: 'rainRadar',
    vendorInternalCodeVersion: '1.0',
    categoryId: idOf('categories', 'weather'),
    cropIds: [idOf('crops', 'maize')],
    dataAreaIds: [idOf('dataAreas', 'FarmOrganization')],
    translations: [
      {
        languageId: catalogue.englishId,
        ...{ moduleName: 'Rain radar', shortDescription: 'Rain by field', description: DESCRIPTION },
        ...{ websiteUrl: 'https://rain.example', websiteName: 'rain.example' },
        supportContact: 'help@rain.example',
      },
      {
        languageId: idOf('languages', 'de'),
        ...{ moduleName: 'Regenradar', shortDescription: 'Regen je Schlag', description: 'Sagt, wann.' },
      },
    ],
    subscriptionOptions: [
      {
        ...{ paymentCycleId: idOf('paymentCycles', 'monthly'), currencyId: idOf('currencies', 'EUR') },
        ...{ regionId: idOf('regions', 'europe'), price: 9.9, trialLength: 30 },
      },
    ],
    moduleFiles: [
      { file: 'ModuleToS/terms.md', languageId: 'en' },
      { file: 'ModulePrivacy/privacy.md', languageId: 'en' },
      { file: 'ModuleLogo/logo.svg' },
      { file: 'ModuleImage/one.png' },
    ],
    ...members,
  };
  const files = {
    'ModuleToS/terms.md': terms,
    'ModuleLogo/logo.png': null,
    'ModuleLogo/logo.svg': TINY_SVG,
    'ModuleImage/one.png': PIXEL,
  };
  return samplePackage(catalogue, { descriptor, files });
}

async function openMarket(options = {}, path = 'market'): Promise<Page> {
  const { page } = await openPage(browser, options);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/${path}`);
  return page;
}

test('modules are searched by words, and filtered by category and crop', async () => {
  const page = await openMarket();
  const card = page.locator('.card', { hasText: 'Rain radar' });
  await card.getByText('€9.90 per month · Europe · try it for 30 days').waitFor();
  await page.getByRole('searchbox').fill('hail');
  await page.keyboard.press('Enter');
  await page.getByText('No module fits: words “hail”').waitFor();
  await page.getByRole('searchbox').fill('irrig');
  await page.keyboard.press('Enter');
  await card.waitFor();
  await page.getByLabel(/^Category/).selectOption({ label: 'Finance' });
  await page.getByText('No module fits: words “irrig”, category Finance').waitFor();
  await page.getByLabel(/^Category/).selectOption({ label: 'Weather' });
  await page.getByLabel(/^Crop/).selectOption({ label: 'Maize' });
  await card.waitFor();
});

test('an answer to an earlier search that comes late does not replace the results of the later one', async () => {
  const page = await openMarket();
  const held: Route[] = [];
  await page.route(/availableModules\?.*query=hail/, (route) => {
    held.push(route);
  });
  const card = page.locator('.card', { hasText: 'Rain radar' });
  await card.waitFor();
  const late = page.waitForResponse(/query=hail/);
  await page.getByRole('searchbox').fill('hail');
  await page.keyboard.press('Enter');
  await card.waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('irrig');
  await page.keyboard.press('Enter');
  await card.waitFor();
  expect(held).toHaveLength(1);
  await held[0]?.continue();
  await (await late).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
  expect(await card.isVisible()).toBe(true);
});

test('words that are typed as soon as a search has begun are searched next', async () => {
  const page = await openMarket();
  const card = page.locator('.card', { hasText: 'Rain radar' });
  await card.waitFor();
  // In the page: between two calls of the test the page would have painted.
  await page.evaluate(`{
    const input = document.querySelector('[type=search]');
    const search = (words) => {
      input.value = words;
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      setTimeout(() => input.form.requestSubmit());
    };
    const cards = new MutationObserver(() => {
      if (document.querySelector('.card') !== null) return;
      cards.disconnect();
      search('irrig');
    });
    cards.observe(document.body, { childList: true, subtree: true });
    search('hail');
  }`);
  await page.waitForURL(/query=irrig/);
  expect(await page.getByRole('searchbox').inputValue()).toBe('irrig');
  await card.waitFor();
});

test('a search is in the address: it is there after a reload and with Back, and one click ends it', async () => {
  const page = await openMarket();
  await page.getByText('1 module', { exact: true }).waitFor();
  await page.getByRole('searchbox').fill('hail');
  await page.keyboard.press('Enter');
  const none = page.getByText('No module fits: words “hail”');
  await none.waitFor();
  expect(new URL(page.url()).search).toBe('?query=hail');
  await page.reload();
  await none.waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('hail');
  await takeScreenshot(page, 'market-no-result');
  await tabTo(page, 'Clear search and filters');
  await page.keyboard.press('Enter');
  const vendor = page.getByRole('link', { name: /^by / });
  await vendor.click();
  await page.getByText('1 module', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('vendorId')).toMatch(/^[0-9a-f-]{36}$/);
  await page.goBack();
  await page.goBack();
  await none.waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('hail');
});

test('the address of a search leads to it through the sign-in', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/market?query=hail+50%25`);
  await page.locator('.welcome [role=button]').click();
  await page.getByRole('link', { name: 'Fiona Farmer' }).click();
  await page.getByText('No module fits: words “hail 50%”').waitFor();
});

test('the page of a module shows its Markdown without HTML, scripts, foreign images and unsafe links', async () => {
  const page = await openMarket({}, `market/${moduleId}`);
  await page.getByRole('heading', { name: 'When it rains' }).waitFor();
  const manual = page.getByRole('link', { name: 'Manual' });
  expect(await manual.getAttribute('href')).toBe('https://rain.example/manual');
  expect(await manual.getAttribute('rel')).toBe('noopener noreferrer nofollow');
  expect(await page.getByRole('link', { name: 'bad' }).count()).toBe(0);
  const body = page.locator('.markdown').first();
  expect(await body.locator('script, img').count()).toBe(0);
  expect(await body.innerText()).toContain('<script>');
  const widths = '[...document.images].map(({ naturalWidth }) => naturalWidth)';
  await expect
    .poll(() => page.evaluate<number[]>(widths))
    .toSatisfy((all: number[]) => all.length >= 2 && all.every((width) => width > 0));
  for (const text of ['fields, blocks and irrigation stations', 'Readings', 'help@rain.example'])
    await page.getByText(text).first().waitFor();
  await page.getByText('Privacy: privacy.md').click();
  await page.locator('details').getByRole('heading', { name: 'Privacy' }).waitFor();
});

test.each([
  ['market', 'en-GB', 'Rain radar'],
  ['market', 'de-DE', 'Regenradar'],
  ['page', 'en-GB', 'Rain radar'],
  ['page', 'de-DE', 'Regenradar'],
])('the %s is accessible at 360 px and does not scroll sideways, in %s', async (which, locale, name) => {
  const path = which === 'market' ? 'market' : `market/${moduleId}`;
  const page = await openMarket({ locale, viewport: { width: 360, height: 740 } }, path);
  await page.getByRole('heading', { name }).first().waitFor();
  await page.locator('img.logo').first().waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `offer-${which}-${locale}`);
});

test("categories, crops and languages are named in the reader's language", async () => {
  const page = await openMarket({ locale: 'de-DE' });
  await page.getByLabel(/^Kategorie/).selectOption({ label: 'Wetter' });
  await page
    .locator('.card', { hasText: 'Wetter' })
    .getByRole('link', { name: 'Regenradar', exact: true })
    .click();
  const facts = page.locator('.facts');
  for (const text of ['Wetter', 'Mais', 'Englisch', 'Deutsch']) await facts.getByText(text).first().waitFor();
});

test('the first load of the market at 360 px stays below 250 KB, compressed', async () => {
  const { page } = await openPage(browser, { viewport: { width: 360, height: 740 } });
  await signIn(page, stack.app.url, 'Fiona Farmer');
  // Requests that the sign-in page still makes are not counted.
  await page.waitForLoadState('networkidle');
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/market`);
  await page.getByRole('link', { name: 'Rain radar', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(250_000);
});

test('an offer that changes while its dialog is open is shown anew, with what changed, and the farmer agrees again', async () => {
  const { catalogue } = stack.app.api;
  const areaId = (key: string) => catalogue.entry('dataAreas', key)?.id;
  const dataAreaReasons = { [String(areaId('FarmOrganization'))]: 'To place the hail.' };
  const releaseNotes = '# Faster\n\n<b>Maps</b> load at once.';
  const texts = { moduleName: 'Hail radar', dataAreaReasons, releaseNotes };
  const translations = [{ languageId: catalogue.englishId, ...texts }];
  const offered = { scope: 'hailRadar', translations, dataAreaIds: [areaId('FarmOrganization')] };
  const hailId = await importAsVendor(stack, rainPackage(offered));
  // Other tests count the modules of the market.
  onTestFinished(async () => {
    await callAs(stack, 'vendor-admin', `DELETE /${VENDOR_ID}/modules/${hailId}`);
  });
  const page = await openMarket({}, `market/${hailId}`);
  await page.getByRole('heading', { name: 'Faster' }).waitFor();
  await page.getByText('<b>Maps</b> load at once.').waitFor();
  await page.getByRole('button', { name: 'Install: Hail radar' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The vendor’s reason: To place the hail.').waitFor();
  const agree = () => dialog.getByLabel('I have read the terms and accept them').check();
  await agree();
  await dialog.getByText('€9.90 per month').waitFor();
  const dataAreaIds = [areaId('FarmOrganization'), areaId('FarmMember')];
  await importAsVendor(stack, rainPackage({ ...offered, moduleId: hailId, dataAreaIds }, '# Harder terms'));
  const install = dialog.getByRole('button', { name: 'Install' });
  await install.click();
  const note = dialog.getByRole('alert');
  await note.getByText('data areas (+ Farm members), terms').waitFor();
  expect(await install.isDisabled()).toBe(true);
  expect(await dialog.getByLabel(/^Farm members/).isChecked()).toBe(false);
  await dialog.getByText('Terms: terms.md').click();
  await dialog.getByRole('heading', { name: 'Harder terms' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'offer-changed');
  await agree();
  await install.click();
  await page.getByRole('button', { name: 'Uninstall: Hail radar' }).waitFor();
  const { items } = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/consents?moduleId=${hailId}`);
  expect(items).toMatchObject([{ revision: 2, seenRevision: 2, dataAreaIds: [areaId('FarmOrganization')] }]);
});

test('a module is installed by keyboard; another version with other terms says what is new and asks again', async () => {
  const page = await openMarket({}, `market/${moduleId}`);
  await page.getByRole('button', { name: 'Install: Rain radar' }).waitFor();
  await tabTo(page, 'Install: Rain radar');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('I have read the terms and accept them').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Uninstall: Rain radar' }).waitFor();

  const { catalogue } = stack.app.api;
  const dataAreaIds = ['FarmOrganization', 'FarmMember'].map((key) => catalogue.entry('dataAreas', key)?.id);
  await importAsVendor(
    stack,
    rainPackage({ moduleId, dataAreaIds, vendorInternalCodeVersion: '1.1' }, '# Other terms'),
  );
  await page.reload();
  await page.getByText('A new version needs your consent').waitFor();
  await page.getByText('It requests in addition: Farm members.').waitFor();
  await page.getByText('Its terms have changed.').waitFor();
  await page.getByText('Since 1.0: data areas, terms').waitFor();
  await page.getByRole('button', { name: 'Change access: Rain radar' }).click();
  await dialog.getByText('Terms: terms.md').click();
  await dialog.getByRole('heading', { name: 'Other terms' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'offer-consent');
  await dialog.getByLabel('I have read the terms and accept them').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A new version needs your consent').waitFor({ state: 'detached' });
  const consents = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/consents?moduleId=${moduleId}`);
  expect(consents['items']).toMatchObject([
    { revision: 2, seenRevision: 2 },
    { revision: 1, seenRevision: 1 },
  ]);
});
