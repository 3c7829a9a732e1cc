import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import {
  callAs,
  makeRule,
  importAsVendor,
  installOnFarm,
  makeKey,
  namedPackage,
} from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const WORDS = {
  'en-GB': {
    title: 'Read by modules',
    none: 'No module has read your data in the last 90 days.',
    both: 'alert rules, farms and fields',
    access: 'the access that you granted',
  },
  'de-DE': {
    title: 'Von Modulen gelesen',
    none: 'In den letzten 90 Tagen hat kein Modul Ihre Daten gelesen.',
    both: 'Regeln, Betriebe und Felder',
    access: 'der Zugriff, den Sie gewährt haben',
  },
} as const;
const VIEWS = (['en-GB', 'de-DE'] as const).flatMap((locale) =>
  [360, 1280].map((width) => [locale, width] as const),
);

/** A module reads on two days, and is uninstalled and deleted then. */
async function readOnTwoDays(): Promise<void> {
  const { app } = stack;
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'rowReader' }));
  await installOnFarm(stack, moduleId);
  const ruleId = await makeRule(stack, moduleId);
  const headers = { 'X-Api-Key': await makeKey(stack, moduleId) };
  const read = async (call: string) => {
    const answer = await app.fetch(`/api/v8.0/Alerts/${call}/${moduleId}`, { headers });
    expect(answer.status).toBe(200);
    await app.api.dataReads.flush();
  };
  await read('InstallationsByModuleId');
  await app.api
    .database('data_reads')
    .update({ createdAt: app.api.database.raw("created_at - interval '1 day'") });
  await read('StructuresByModuleId');
  await read('RulesByModuleId');
  await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/alertRules/${ruleId}`);
  await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/installations/${moduleId}`);
  await callAs(stack, 'vendor-admin', `DELETE /${VENDOR_ID}/modules/${moduleId}`);
}

async function farmsPage(locale: keyof typeof WORDS, width: number) {
  const opened = await openPage(browser, { locale, viewport: { width, height: 740 } });
  await signIn(opened.page, stack.app.url, 'Fiona Farmer');
  await opened.page.goto(`${stack.app.url}/portal/${FARM_ID}/farms`);
  const words = WORDS[locale];
  const section = opened.page
    .locator('section')
    .filter({ has: opened.page.getByRole('heading', { name: words.title }) });
  await section.waitFor();
  return { ...opened, words, section };
}

test('the page Farms lists by day which modules have read what, with the name of a deleted one too', async () => {
  for (const [locale, width] of VIEWS) {
    const { page, words, section } = await farmsPage(locale, width);
    await section.getByText(words.none).waitFor();
    await page.context().close();
  }
  await readOnTwoDays();
  for (const [locale, width] of VIEWS) {
    const { page, words, section, complaints } = await farmsPage(locale, width);
    await section.getByText(words.both).waitFor();
    const text = (await section.textContent()) ?? '';
    expect(text.indexOf(words.both)).toBeLessThan(text.indexOf(words.access));
    expect(text.match(/Soil moisture/g)).toHaveLength(2);
    const day = new Intl.DateTimeFormat(locale.slice(0, 2), { dateStyle: 'medium', timeZone: 'UTC' });
    const { items } = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/dataReads`);
    const days = new Set((items as { day: string }[]).map((each) => day.format(new Date(each.day))));
    expect(days.size).toBe(2);
    for (const each of days) await section.getByText(each, { exact: true }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await section.scrollIntoViewIfNeeded();
    await takeScreenshot(page, `data-reads-${locale}-${width}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  }
});
