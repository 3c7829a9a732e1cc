import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../shared/local/demonstration.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, installOnFarm, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  await seedFarm();
  // One entry an hour of a summer's day; Berlin is two hours ahead.
  await stack.app.api.database.raw(
    `insert into audit_log (id, organization_id, created_at, actor, action, trace_id)
     select gen_random_uuid(), :organizationId::uuid, '2020-07-01T00:00:00Z'::timestamptz + i * interval '1 hour',
       'person-' || i, 'module.exported', '00000000000000000000000000000000'
     from generate_series(0, 23) i`,
    { organizationId: VENDOR_ID },
  );
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** A farmer installs a module and makes a rule; then its vendor deletes the module. */
async function seedFarm(): Promise<void> {
  const moduleId = await importAsVendor(stack, namedPackage(stack));
  await installOnFarm(stack, moduleId);
  const rule = { moduleId, criteria: 'temperature', values: { operator: 'gt', value: 30 }, name: 'Too dry' };
  await callAs(stack, 'farmer-admin', `POST /${FARM_ID}/alertRules`, rule);
  await callAs(stack, 'vendor-admin', `DELETE /${VENDOR_ID}/modules/${moduleId}`);
}

/** The text of the file that a click saves. */
async function savedBy(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

test.each([
  {
    ...{ locale: 'en-GB', from: 'From', before: 'Before', none: 'No entries match these filters.' },
    ...{ time: 'Time', between: 'From … to …', day: 'Last 24 hours', download: 'Download' },
    ...{ csv: 'Save as CSV', ndjson: 'Save as NDJSON' },
  },
  {
    ...{ locale: 'de-DE', from: 'Ab', before: 'Vor', none: 'Zu diesen Filtern gibt es keine Einträge.' },
    ...{
      time: 'Zeit',
      between: 'Von … bis …',
      day: 'Letzte 24 Stunden',
      download: 'Herunterladen',
    },
    ...{ csv: 'Als CSV speichern', ndjson: 'Als NDJSON speichern' },
  },
])(
  'the audit log shows and saves the entries of a range in the time of the browser: $locale',
  async ({ locale, time, between, day, download, from, before, none, csv, ndjson }) => {
    const { page, context, complaints } = await openPage(browser, { locale });
    await signIn(page, stack.app.url, 'Vera Vendor');
    await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/auditLog`);
    const rows = page.locator('.log li');
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(24);
    const period = page.getByRole('combobox', { name: time, exact: true });
    await period.selectOption({ label: day });
    await expect.poll(() => rows.filter({ hasText: 'person-' }).count()).toBe(0);
    await period.selectOption({ label: between });
    await page.getByText(download, { exact: true }).click();
    await page.getByLabel(from, { exact: true }).fill('2020-07-01T10:00');
    await page.getByLabel(before).fill('2020-07-01T12:00');
    await expect.poll(() => rows.count()).toBe(2);
    for (const actor of ['person-8', 'person-9'])
      await rows.locator('b').filter({ hasText: actor }).waitFor();
    await expectAccessible(page);
    const records = (await savedBy(page, csv)).trimEnd().split('\r\n');
    expect(records.map((record) => /person-\d+/.exec(record)?.[0])).toEqual([
      undefined,
      ...['person-9', 'person-8'],
    ]);
    const lines = (await savedBy(page, ndjson)).trimEnd().split('\n');
    const actors = lines.map((line) => (JSON.parse(line) as { actor: string }).actor);
    expect(actors).toEqual(['person-9', 'person-8']);
    await page.getByLabel(from, { exact: true }).fill('2020-07-01T11:30');
    await page.getByLabel(before).fill('2020-07-01T11:45');
    await page.getByText(none).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await takeScreenshot(page, `audit-log-range-${locale}`);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

test('operators filter the audit log of all organizations by time', async () => {
  const { page, context } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.getByRole('button', { name: 'Audit log' }).click();
  await page.getByRole('combobox', { name: 'Time', exact: true }).selectOption({ label: 'From … to …' });
  await page.getByLabel('From', { exact: true }).fill('2020-07-01T10:00');
  await page.getByLabel('Before').fill('2020-07-01T11:00');
  await expect.poll(() => page.locator('.log li').count()).toBe(1);
  await page.locator('.log b').filter({ hasText: 'person-8' }).waitFor();
  await context.close();
});

const WORDS = [
  {
    ...{ locale: 'en-GB', person: 'Person', module: 'Module', traceId: 'Trace ID' },
    made: 'Fiona Farmer created the rule Too dry for Soil moisture',
    removed: 'uninstalled Soil moisture',
    saved: 'Fiona Farmer saved farms and fields',
  },
  {
    ...{ locale: 'de-DE', person: 'Person', module: 'Modul', traceId: 'Trace-ID' },
    made: 'Fiona Farmer hat die Regel Too dry für Soil moisture angelegt',
    removed: 'hat Soil moisture deinstalliert',
    saved: 'Fiona Farmer hat Betriebe und Felder gespeichert',
  },
];

test.each(WORDS.flatMap((words) => [360, 1280].map((width) => ({ ...words, width }))))(
  'each entry is a sentence with the names of its time, and its IDs open with the keyboard: $locale, $width px',
  async ({ locale, width, traceId, made, removed, saved, person, module }) => {
    const viewport = { width, height: 740 };
    const { page, context, complaints } = await openPage(browser, { locale, viewport });
    await signIn(page, stack.app.url, 'Fiona Farmer');
    await page.goto(`${stack.app.url}/portal/${FARM_ID}/auditLog`);
    // The module is deleted: its name is the entry's.
    for (const sentence of [made, removed, saved]) await page.getByText(sentence).waitFor();
    await takeScreenshot(page, `audit-log-${width}-${locale}`);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.getByText(made).waitFor();
    await expect.poll(() => page.getByText(traceId).filter({ visible: true }).count()).toBe(0);
    await page.getByRole('combobox', { name: person, exact: true }).focus();
    for (let pressed = 0; pressed < 30; pressed += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<string>('document.activeElement?.textContent ?? ""');
      if (focused.startsWith(made)) break;
    }
    await page.keyboard.press('Enter');
    await page.getByText(traceId).filter({ visible: true }).waitFor();
    await takeScreenshot(page, `audit-log-open-${width}-${locale}`);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    const rows = page.locator('.log li');
    await page.getByRole('combobox', { name: module, exact: true }).selectOption({ label: 'Soil moisture' });
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('combobox', { name: person, exact: true }).selectOption({ label: 'Fiona Farmer' });
    await expect.poll(() => rows.count()).toBe(2);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

test('operators read which organization each sentence is about', async () => {
  const { page, context } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.goto(`${stack.app.url}/portal/operations/auditLog`);
  const row = page.locator('.log li').filter({ hasText: 'Vera Vendor deleted Soil moisture' });
  await row.getByText(DEMONSTRATION.vendor.name).waitFor();
  await takeScreenshot(page, 'audit-log-operator');
  await context.close();
});
