import type { Browser, Locator, Page, Route } from 'playwright-core';
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
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { rainPackage } from './support/rain-package.ts';
import { importAsVendor, installOnFarm } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;
let moduleId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  moduleId = await importAsVendor(stack, rainPackage(stack));
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

async function openMarket(options = {}, path = 'market'): Promise<Page> {
  const { page } = await openPage(browser, options);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/${path}`);
  return page;
}

test('modules are searched by words, and filtered by category and crop', async () => {
  const page = await openMarket();
  const card = page.locator('.card', { hasText: 'Rain radar' });
  await card.getByText('Free for 30 days, then €9.90 per month · Europe').waitFor();
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
  await expect.poll(() => card.isVisible()).toBe(true);
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
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('irrig');
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
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('hail');
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
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('hail');
});

test('the address of a search leads to it through the sign-in', async () => {
  const { page } = await openPage(browser);
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/market?query=hail+50%25`);
  await page.locator('.welcome [role=button]').click();
  await page.getByRole('link', { name: 'Fiona Farmer' }).click();
  await page.getByText('No module fits: words “hail 50%”').waitFor();
});

test('an installed module is not offered for installation while its installation cannot be read', async () => {
  const page = await openMarket({}, `market/${moduleId}`);
  const install = page.getByRole('button', { name: 'Install: Rain radar', exact: true });
  await install.waitFor();
  await installOnFarm(stack, moduleId);
  await page.route(/\/installations[/?]/, (route) => route.abort());
  await page.reload();
  await page.locator('.offer').waitFor();
  await expect.poll(() => page.getByRole('alert').count()).toBe(1);
  await takeScreenshot(page, 'offer-installation-unknown');
  expect(await install.count()).toBe(0);
  await page.unroute(/\/installations[/?]/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Uninstall: Rain radar' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();
  await install.waitFor();
});

test('after an uninstallation, the page of a module reads its offer before its installation, which is not found any more', async () => {
  await installOnFarm(stack, moduleId);
  const page = await openMarket({}, `market/${moduleId}`);
  await page.getByRole('button', { name: 'Uninstall: Rain radar' }).click();
  const reads: string[] = [];
  page.on('request', (request) => {
    const resource = /\/(installations|availableModules)\//.exec(request.url())?.[1];
    if (resource !== undefined && request.method() === 'GET') reads.push(resource);
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();
  await page.getByRole('button', { name: 'Install: Rain radar', exact: true }).waitFor();
  expect(reads[0]).toBe('availableModules');
});

test('the page of a module shows its Markdown without HTML, scripts, foreign images and unsafe links', async () => {
  const page = await openMarket({}, `market/${moduleId}`);
  await page.getByRole('heading', { name: 'When it rains' }).waitFor();
  const manual = page.getByRole('link', { name: 'Manual' });
  expect(await manual.getAttribute('href')).toBe('https://rain.example/manual');
  expect(await manual.getAttribute('rel')).toBe('noopener noreferrer nofollow');
  await expect.poll(() => page.getByRole('link', { name: 'bad' }).count()).toBe(0);
  const body = page.locator('.markdown').first();
  await expect.poll(() => body.locator('script, img').count()).toBe(0);
  await expect.poll(() => body.innerText()).toContain('<script>');
  const widths = '[...document.images].map(({ naturalWidth }) => naturalWidth)';
  await expect
    .poll(() => page.evaluate<number[]>(widths))
    .toSatisfy((all: number[]) => all.length >= 2 && all.every((width) => width > 0));
  for (const text of ['fields, blocks and irrigation stations', 'Readings', 'help@rain.example'])
    await page.getByText(text).first().waitFor();
  await page.getByText('Privacy (as of').click();
  await page.locator('details').getByRole('heading', { name: 'Privacy' }).waitFor();
});

test.each([
  ['en-GB', 'Rain radar'],
  ['de-DE', 'Regenradar'],
])('the market is accessible at 360 px and does not scroll sideways, in %s', async (locale, name) => {
  const page = await openMarket({ locale, viewport: { width: 360, height: 740 } });
  await page.getByRole('heading', { name }).first().waitFor();
  await page.locator('img.logo').first().waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `offer-market-${locale}`);
});

const OFFER_WORDS = {
  'en-GB': {
    name: 'Rain radar',
    card: 'Price and access',
    inCard: ['Free for 30 days, then €9.90 per month · Europe', 'Farm organization', 'not verified'],
    install: 'Install',
    dialog: 'Install Rain radar',
    about: 'About',
    verified: /^Package verified on /,
    source: 'Imported from',
  },
  'de-DE': {
    name: 'Regenradar',
    card: 'Preis und Zugriff',
    inCard: ['30 Tage kostenlos, dann 9,90\u00a0€ pro Monat · Europa', 'Betriebe', 'nicht geprüft'],
    install: 'Installieren',
    dialog: 'Regenradar installieren',
    about: 'Beschreibung',
    verified: /^Paket geprüft am /,
    source: 'Importiert von',
  },
} as const;

const HASH = /[0-9a-f]{40}/i;

describe.each([360, 1_280])('the page of a module, %i px wide', (width) => {
  test.each(['en-GB', 'de-DE'] as const)(
    'has price, access, vendor and origin in a card, without hashes, and installs by keyboard, in %s',
    async (locale) => {
      const words = OFFER_WORDS[locale];
      const page = await openMarket({ locale, viewport: { width, height: 740 } }, `market/${moduleId}`);
      await page.getByRole('heading', { name: words.name }).first().waitFor();
      const card = page.getByRole('region', { name: words.card });
      for (const text of words.inCard) await card.getByText(text, { exact: true }).first().waitFor();
      await card.getByText(words.verified).waitFor();
      await page.locator('.images img').first().waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await takeScreenshot(page, `offer-${locale}-${width}`);
      await tabTo(page, await card.getByText(words.verified).innerText());
      await page.keyboard.press('Enter');
      await card.getByText(words.source).waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, `offer-verified-${locale}-${width}`);
      await expect.poll(() => page.locator('main').innerText()).not.toMatch(HASH);
      await page.getByRole('heading', { name: words.name }).first().focus();
      await tabTo(page, `${words.install}: ${words.name}`);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: words.dialog }).waitFor();
    },
  );

  test('has the card above its texts on a phone, and else beside them, where it stays in view', async () => {
    const options = { viewport: { width, height: 740 } };
    const page = await openMarket(options, `market/${moduleId}`);
    const card = page.getByRole('region', { name: 'Price and access' });
    const about = page.getByRole('heading', { name: 'About' });
    const [cardBox, aboutBox] = [await boxOf(card), await boxOf(about)];
    if (width === 360) expect(cardBox.y + cardBox.height).toBeLessThan(aboutBox.y);
    else expect(aboutBox.x + aboutBox.width).toBeLessThan(cardBox.x);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const { y } = await boxOf(card);
    expect(y >= 0).toBe(width !== 360);
  });

  test('shows all screenshots in one aspect ratio', async () => {
    const page = await openMarket({ viewport: { width, height: 740 } }, `market/${moduleId}`);
    const images = page.locator('.images img');
    await images.first().waitFor();
    const boxes = await Promise.all((await images.all()).map(boxOf));
    expect(boxes).toHaveLength(2);
    for (const box of boxes) expect(box.width / box.height).toBeCloseTo(1.6, 1);
  });
});

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not on the page');
  return box;
}

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
