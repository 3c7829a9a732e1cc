import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
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

/** Keeps every language, title and text that the document ever has. */
const WATCH = `{
  globalThis.seen = new Set();
  const look = () => {
    const { documentElement: root, title, body } = document;
    if (root === null) return;
    seen.add('lang ' + root.lang);
    if (title !== '') seen.add('title ' + title);
    for (const line of (body?.innerText ?? '').split('\\n')) seen.add(line);
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}`;

test('the first HTML is in the language that the reader chose, else that the browser prefers', async () => {
  const read = async (headers: Readonly<Record<string, string>>) => {
    const { text, headers: answered } = await stack.app.fetch('/portal', { headers });
    expect(answered.get('vary')).toMatch(/Accept-Language, Cookie/);
    return [/<html lang="(\w+)">/.exec(text)?.[1], /<title>(.*)<\/title>/.exec(text)?.[1]];
  };
  const [english, german] = [
    ['en', 'Module portal'],
    ['de', 'Modulportal'],
  ];
  expect(await read({})).toEqual(english);
  expect(await read({ 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.8' })).toEqual(german);
  expect(await read({ 'Accept-Language': 'fr, en;q=0.5, de;q=0.4' })).toEqual(english);
  expect(await read({ 'Accept-Language': 'fr' })).toEqual(english);
  expect(await read({ 'Accept-Language': 'de', Cookie: 'a=b; portal-language=en' })).toEqual(english);
  expect(await read({ 'Accept-Language': 'de', Cookie: 'portal-language=<script>' })).toEqual(german);
});

test.each([
  [
    'Fiona Farmer',
    (id: string) => `${FARM_ID}/market/${id}`,
    '30 Tage kostenlos, dann 9,90 € pro Monat · Europa',
  ],
  ['Vera Vendor', (id: string) => `${VENDOR_ID}/modules/${id}`, 'Wetter'],
] as const)(
  'from the first frame on a German reader, %s, never sees English titles and names',
  async (account, addressOf, sign) => {
    const { page } = await openPage(browser, { locale: 'de-DE' });
    await signIn(page, stack.app.url, account);
    await page.addInitScript(WATCH);
    await page.goto(`${stack.app.url}/portal/${addressOf(moduleId)}`);
    await page.getByText(sign).first().waitFor();
    await page.waitForLoadState('networkidle');
    const seen = await page.evaluate<string[]>('[...seen]');
    expect(seen).toContain('lang de');
    expect(seen).toContain('title Modulportal');
    const english =
      /^lang en|^title Module portal|Monthly|Europe|Weather|Maize|Farm organization|Module portal/;
    expect(seen.filter((line) => english.test(line))).toEqual([]);
  },
);

test("the reader's choice is in the first HTML of the next visit", async () => {
  const { page } = await openPage(browser);
  await page.goto(`${stack.app.url}/portal`);
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  await page.addInitScript(WATCH);
  await page.reload();
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  const seen = await page.evaluate<string[]>('[...seen]');
  expect(seen.filter((line) => line.startsWith('lang '))).toEqual(['lang de']);
});
