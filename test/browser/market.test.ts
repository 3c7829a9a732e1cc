import type { Browser, Page, Route } from 'playwright-core';
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
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { rainPackage } from './support/rain-package.ts';
import { importAsVendor } from './support/seeded-pages.ts';

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
  await page.getByText('Privacy (as of').click();
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
