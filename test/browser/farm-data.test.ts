import { readFile } from 'node:fs/promises';
import type { Browser, Page, Route } from 'playwright-core';
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
    steps: 'First steps',
    firstStep: 'Bring in your fields',
    done: 'Bring in your fields done',
    trySample: 'Try it with sample data',
    addSample: 'Add sample farm',
    sample: 'Sample farm',
    edit: 'Edit: Marsh',
    fieldName: 'Name of the field',
    area: 'Area: 44.1 ha',
    latitude: 'Corner 1: latitude',
    add: 'Add after: Corner 1',
    addedLatitude: 'Corner 2: latitude',
    crossing: 'the boundary crosses itself, or a hole is not inside it',
    map: 'Map of the field with its corners',
    save: 'Save',
  },
  'de-DE': {
    download: 'Alles herunterladen',
    erase: 'Alle Betriebsdaten löschen',
    typeName: 'Geben Sie zur Bestätigung „North Farm“ ein',
    none: 'Es gibt noch keine Betriebe.',
    steps: 'Erste Schritte',
    firstStep: 'Felder anlegen',
    done: 'Felder anlegen erledigt',
    trySample: 'Mit Beispieldaten ausprobieren',
    addSample: 'Musterhof anlegen',
    sample: 'Musterhof',
    edit: 'Bearbeiten: Marsh',
    fieldName: 'Name des Felds',
    area: 'Fläche: 44,1 ha',
    latitude: 'Ecke 1: Breite',
    add: 'Danach einfügen: Ecke 1',
    addedLatitude: 'Ecke 2: Breite',
    crossing: 'die Grenze kreuzt sich selbst, oder ein Loch liegt nicht in ihr',
    map: 'Karte des Felds mit seinen Ecken',
    save: 'Speichern',
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
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `farm-erase-${locale}-${width}`);
    await dialog.getByLabel(words.typeName).fill('North  Farm ');
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
  await page.getByText('The farms are not those that the page showed.', { exact: false }).waitFor();
  await page.getByRole('heading', { name: 'Renamed farm' }).waitFor();
  const { farms } = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/structures`);
  expect(farms).toHaveLength(1);
});

test('farms that are shown still although they were erased come with the reason, and erasing them again shows the current ones', async () => {
  const { page, words } = await farmsPage('en-GB', 1280);
  const erase = async () => {
    await page.getByRole('button', { name: words.erase }).click();
    await page.getByRole('dialog').getByLabel(words.typeName).fill('North Farm');
    await page.getByRole('dialog').getByRole('button', { name: words.erase }).click();
  };
  await page.getByRole('heading', { name: 'Home farm' }).waitFor();
  const cut = (route: Route) => (route.request().method() === 'GET' ? route.abort() : route.continue());
  await page.route('**/structures', cut);
  await erase();
  await page.getByText('The service could not be reached.', { exact: false }).waitFor();
  await page.getByRole('heading', { name: 'Home farm' }).waitFor();
  expect(await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/structures`)).toEqual({ farms: [] });
  await page.unroute('**/structures', cut);
  await erase();
  await page.getByText('The farms are not those that the page showed.', { exact: false }).waitFor();
  await page.getByText(words.none).waitFor();
});

interface StoredField {
  readonly name: string;
  readonly areaM2: number;
  readonly boundary: { readonly coordinates: readonly (readonly (readonly number[])[])[] };
}

async function storedField(): Promise<StoredField | undefined> {
  const { farms } = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/structures`);
  return (farms as { fields: StoredField[] }[])[0]?.fields[0];
}

test.each(VIEWS)(
  'a field is renamed and redrawn in %s, %i pixels wide, by keyboard, with its area meanwhile',
  async (locale, width) => {
    const { page, words, complaints } = await farmsPage(locale, width);
    await page.getByRole('button', { name: words.edit }).waitFor();
    await press(page, words.edit);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(words.area).waitFor();
    await dialog.getByLabel(words.fieldName).fill('Wet marsh');
    await tabTo(page, words.latitude);
    await page.keyboard.press('ArrowDown');
    await press(page, words.add);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `farm-redraw-${locale}-${width}`);
    await dialog.getByLabel(words.addedLatitude).fill('53.6');
    await dialog.getByText(words.crossing).waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: words.save }).isDisabled()).toBe(true);
    await dialog.getByLabel(words.addedLatitude).fill('53.499');
    await press(page, words.save);
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.field-list').getByText('Wet marsh').waitFor();
    const field = await storedField();
    expect(field).toMatchObject({ name: 'Wet marsh', boundary: { type: 'Polygon' } });
    expect(field?.boundary.coordinates).toEqual([
      [[10, 53.49999], [10.005, 53.499], ...RING.slice(1, -1), [10, 53.49999]],
    ]);
    expect(complaints).toEqual([]);
  },
);

test('corners are pulled with the mouse, and a small dot becomes one', async () => {
  const { page, words, complaints } = await farmsPage('en-GB', 1280);
  await page.getByRole('button', { name: words.edit }).click();
  const map = page.getByRole('dialog').getByRole('img', { name: words.map });
  const pull = async (kind: 'corner' | 'middle', x: number, y: number) => {
    const box = await map.locator(`circle.${kind}`).first().boundingBox();
    const [left, top] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    await page.mouse.move(left, top);
    await page.mouse.down();
    await page.mouse.move(left + x, top + y, { steps: 5 });
    await page.mouse.up();
  };
  await pull('middle', 0, 20);
  await expect.poll(() => map.locator('circle.corner').count()).toBe(5);
  await pull('corner', -20, 0);
  await page.getByRole('dialog').getByRole('button', { name: words.save }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const [ring = []] = (await storedField())?.boundary.coordinates ?? [];
  const [first = [], second = []] = ring;
  expect(ring).toHaveLength(6);
  expect(first[0]).toBeLessThan(10);
  expect(second[1]).toBeLessThan(53.5);
  expect(ring.slice(2, 5)).toEqual(RING.slice(1, 4));
  expect(complaints).toEqual([]);
});

test('a field that changed meanwhile is not overwritten unasked, and what was entered is kept', async () => {
  const { page, words } = await farmsPage('en-GB', 1280);
  await page.getByRole('button', { name: words.edit }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(words.fieldName).fill('Mine');
  const rename = (name: string) =>
    callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/structures`, {
      farms: [{ id: FARM, fields: [{ id: FIELD, name }] }],
    });
  await rename('Theirs');
  await dialog.getByRole('button', { name: words.save }).click();
  await dialog.getByText('Somebody changed the farms meanwhile.', { exact: false }).waitFor();
  expect(await storedField()).toMatchObject({ name: 'Theirs' });
  await expectAccessible(page);
  await takeScreenshot(page, 'farm-redraw-changed');
  await dialog.getByRole('button', { name: words.save }).click();
  await page.locator('.field-list').getByText('Mine').waitFor();
  expect(await storedField()).toMatchObject({ name: 'Mine' });
});

test('a field that was deleted meanwhile is not made again', async () => {
  const { page, words } = await farmsPage('en-GB', 1280);
  await page.getByRole('button', { name: words.edit }).click();
  await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/structures`);
  await page.getByRole('dialog').getByRole('button', { name: words.save }).click();
  await page.getByText('Somebody deleted this field meanwhile', { exact: false }).waitFor();
  expect(await storedField()).toBeUndefined();
});

test.each(VIEWS)(
  'a new farmer is led by three steps in %s, %i pixels wide, and can try a sample farm',
  async (locale, width) => {
    await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/structures`);
    const { page, words, complaints } = await farmsPage(locale, width);
    const steps = page.getByRole('region', { name: words.steps });
    await steps.getByText(words.firstStep).waitFor();
    await page.getByRole('img').waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `first-steps-${locale}-${width}`);
    await press(page, words.trySample);
    await press(page, words.addSample);
    await page.getByRole('heading', { name: words.sample }).waitFor();
    await expect.poll(() => steps.getByRole('listitem').first().textContent()).toBe(words.done);
    expect(complaints).toEqual([]);
  },
);
