import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { textsOf } from '../support/exported-package.ts';
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
import { callAs } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const FARM = '5f1b2c3d-0000-4000-8000-0000000000e1';
const FIELD = '5f1b2c3d-0000-4000-8000-0000000000e2';
const RING = [
  [10, 53.5],
  [10.01, 53.5],
  [10.01, 53.506],
  [10, 53.506],
  [10, 53.5],
];

beforeEach(async () => {
  await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/structures`);
  const fields = [{ id: FIELD, name: 'Marsh', boundary: { type: 'Polygon', coordinates: [RING] } }];
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/structures`, {
    farms: [{ id: FARM, name: 'Home farm', fields }],
  });
});

const WORDS = {
  'en-GB': {
    download: 'Download everything',
    erase: 'Erase all farm data',
    typeName: 'To confirm, type “North Farm”',
    none: 'There are no farms yet.',
  },
  'de-DE': {
    download: 'Alles herunterladen',
    erase: 'Alle Hofdaten löschen',
    typeName: 'Geben Sie zur Bestätigung „North Farm“ ein',
    none: 'Es gibt noch keine Höfe.',
  },
} as const;
const VIEWS = (['en-GB', 'de-DE'] as const).flatMap((locale) =>
  [360, 1280].map((width) => [locale, width] as const),
);

/** The page of farms, opened by a person of the organization. */
async function farmsPage(locale: keyof typeof WORDS, width: number, account = 'Fiona Farmer') {
  const opened = await openPage(browser, { locale, viewport: { width, height: 740 } });
  await signIn(opened.page, stack.app.url, account);
  await opened.page.goto(`${stack.app.url}/portal/${FARM_ID}/farms`);
  return { ...opened, words: WORDS[locale] };
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

test.each(VIEWS)(
  'all data is downloaded in %s, %i pixels wide, as a file with a date',
  async (locale, width) => {
    const { page, words, complaints } = await farmsPage(locale, width);
    await page.getByRole('button', { name: words.download }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `farm-data-${locale}-${width}`);
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, words.download)]);
    expect(download.suggestedFilename()).toMatch(/^.+ \d{4}-\d\d-\d\d\.zip$/);
    const files = await textsOf(await readFile(await download.path()));
    expect(files['fields.geojson']).toContain('Marsh');
    expect(complaints).toEqual([]);
  },
);

test.each(VIEWS)(
  'all farm data is erased in %s, %i pixels wide, by keyboard, after the name of the organization is typed',
  async (locale, width) => {
    const { page, words, complaints } = await farmsPage(locale, width);
    await page.getByRole('button', { name: words.erase }).waitFor();
    await press(page, words.erase);
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: words.erase });
    await dialog.getByLabel(words.typeName).fill('North');
    expect(await confirm.isDisabled()).toBe(true);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `farm-erase-${locale}-${width}`);
    await dialog.getByLabel(words.typeName).fill('North Farm');
    await page.keyboard.press('Enter');
    await page.getByText(words.none).waitFor();
    expect(await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/structures`)).toEqual({ farms: [] });
    expect(complaints).toEqual([]);
  },
);

test('farms that changed after they were shown are not erased, and the page shows the current ones', async () => {
  const { page, words } = await farmsPage('en-GB', 1280);
  await page.getByRole('button', { name: words.erase }).click();
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/structures`, {
    farms: [{ id: FARM, name: 'Renamed farm' }],
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(words.typeName).fill('North Farm');
  await dialog.getByRole('button', { name: words.erase }).click();
  await page.getByText('Somebody changed the farms meanwhile', { exact: false }).waitFor();
  await page.getByRole('heading', { name: 'Renamed farm' }).waitFor();
  const { farms } = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/structures`);
  expect(farms).toHaveLength(1);
});
