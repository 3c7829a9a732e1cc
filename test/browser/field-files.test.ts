import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  dbfOf,
  featureOf,
  GAUSS_KRUEGER,
  geoJsonOf,
  kmlOf,
  kmlPolygon,
  shpOf,
  squareRing,
  UTM_32,
  zipOf,
} from '../support/field-files.ts';
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

const NAMES = Array.from({ length: 10 }, (_, index) => `Strip ${index + 1}`);
const STRIPS = shpOf(NAMES.map((_, index) => [squareRing(567_000 + index * 150, 5_929_000, 140)]));

/** Ten fields in metres, and what is wrong in other files. */
const ZIP = zipOf({
  'strips.shp': STRIPS,
  'strips.dbf': dbfOf(NAMES),
  'strips.prj': UTM_32,
  'old.shp': STRIPS,
  'old.prj': GAUSS_KRUEGER,
  'marsh.kml': kmlOf([['Marsh', kmlPolygon(squareRing(10.02, 53.505, 0.002))]]),
  'bow.geojson': geoJsonOf([
    featureOf({ name: 'Bow' }, [
      [10.024, 53.505],
      [10.027, 53.507],
      [10.027, 53.505],
      [10.024, 53.507],
      [10.024, 53.505],
    ]),
  ]),
});

const WORDS = {
  'en-GB': {
    upload: 'Upload fields: Ten strips',
    file: 'File with areas',
    accepted: '11 of 13 entries are accepted. The others are left out.',
    crossing: 'the boundary crosses itself, or a hole is not inside it',
    system: 'The coordinate system DHDN_3_Degree_Gauss_Zone_3 cannot be converted.',
    map: 'Areas of the file',
    save: 'Save 11 fields',
    fields: '11 fields',
  },
  'de-DE': {
    upload: 'Felder hochladen: Ten strips',
    file: 'Datei mit Flächen',
    accepted: '11 von 13 Einträgen werden übernommen, die anderen nicht.',
    crossing: 'die Grenze kreuzt sich selbst, oder ein Loch liegt nicht in ihr',
    system: 'Das Koordinatensystem DHDN_3_Degree_Gauss_Zone_3 kann nicht umgerechnet werden.',
    map: 'Flächen der Datei',
    save: '11 Felder speichern',
    fields: '11 Felder',
  },
} as const;
const LOCALES = ['en-GB', 'de-DE'] as const;

test.each(LOCALES.flatMap((locale) => [360, 1280].map((width) => [locale, width] as const)))(
  'a ZIP shows in %s, %i pixels wide, what becomes of each entry, and only then the fields are saved, by keyboard alone',
  async (locale, width) => {
    const words = WORDS[locale];
    const id = '5f1b2c3d-0000-4000-8000-0000000000f1';
    await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/structures`);
    await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/structures`, {
      farms: [{ id, name: 'Ten strips' }],
    });
    const { page, complaints } = await openPage(browser, { locale, viewport: { width, height: 740 } });
    await signIn(page, stack.app.url, 'Fiona Farmer');
    await page.goto(`${stack.app.url}/portal/${FARM_ID}/farms`);
    await page.getByRole('button', { name: words.upload }).waitFor();
    await tabTo(page, words.upload);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const file = { name: 'fields.zip', mimeType: 'application/zip', buffer: ZIP };
    await dialog.getByLabel(words.file).setInputFiles(file);
    await dialog.getByText(words.accepted).waitFor();
    await dialog.getByText(words.crossing).waitFor();
    await dialog.getByText(words.system).waitFor();
    await expect.poll(() => dialog.getByRole('img', { name: words.map }).locator('path').count()).toBe(12);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `field-files-${locale}-${width}`);
    const before = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/structures`);
    expect(before).toMatchObject({ farms: [{ fields: [] }] });
    await tabTo(page, words.save);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(words.fields, { exact: false }).first().waitFor();
    const after = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/structures`);
    const { farms } = after as { farms: readonly { fields: readonly { name: string }[] }[] };
    expect(farms[0]?.fields.map(({ name }) => name).toSorted()).toEqual([...NAMES, 'Marsh'].toSorted());
    await takeScreenshot(page, `field-files-saved-${locale}-${width}`);
    expect(complaints).toEqual([]);
  },
);

test.each([
  ['en-GB', 1280, { step: 'Bring in your fields', name: 'Name of the farm', save: 'Save' }],
  ['de-DE', 360, { step: 'Felder anlegen', name: 'Name des Betriebs', save: 'Speichern' }],
] as const)(
  'the first step of a new farmer creates a farm with the fields of a file, by keyboard: %s, %i pixels wide',
  async (locale, width, { step, name, save }) => {
    const words = WORDS[locale];
    await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/structures`);
    const { page, complaints } = await openPage(browser, { locale, viewport: { width, height: 740 } });
    await signIn(page, stack.app.url, 'Fiona Farmer');
    await page.goto(`${stack.app.url}/portal/${FARM_ID}/farms`);
    await page.getByRole('button', { name: step }).waitFor();
    await tabTo(page, step);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(name).fill('Valley farm');
    const file = { name: 'fields.zip', mimeType: 'application/zip', buffer: ZIP };
    await dialog.getByLabel(words.file).setInputFiles(file);
    await dialog.getByText(words.accepted).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `first-fields-${locale}-${width}`);
    await tabTo(page, save);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(words.fields, { exact: false }).first().waitFor();
    expect(complaints).toEqual([]);
  },
);

test('parsers that an upgrade of the service has replaced are reported with the advice to reload the page', async () => {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/farms`);
  await page.route(/\/read-areas/, (route) => route.fulfill({ status: 404 }));
  await page.getByRole('button', { name: /^Add farm/ }).click();
  const file = { name: 'fields.zip', mimeType: 'application/zip', buffer: ZIP };
  await page.getByRole('dialog').getByLabel('File with areas').setInputFiles(file);
  await page.getByText('If that does not help, reload the page.', { exact: false }).waitFor();
});

test('the parsers are loaded only with a file', async () => {
  const { page, requested } = await openPage(browser);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/farms`);
  const names = () => requested.filter((each) => /assets\/read-/.test(each)).length;
  await page.getByRole('button', { name: /^Add farm/ }).click();
  expect(names()).toBe(0);
  const buffer = Buffer.from(geoJsonOf([featureOf({}, squareRing(10, 53, 0.01))]));
  const file = { name: 'fields.geojson', mimeType: 'application/geo+json', buffer };
  await page.getByLabel('File with areas').setInputFiles(file);
  await page.getByText('1 area is accepted.').waitFor();
  expect(names()).toBe(1);
});
