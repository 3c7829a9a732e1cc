import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
} from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ worker: false }), launchChromium()]);
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
    ...{ locale: 'en-GB', from: 'From', before: 'Before', none: 'There are no entries in this time.' },
    ...{ csv: 'Save as CSV', ndjson: 'Save as NDJSON' },
  },
  {
    ...{ locale: 'de-DE', from: 'Ab', before: 'Vor', none: 'In dieser Zeit gibt es keine Einträge.' },
    ...{ csv: 'Als CSV speichern', ndjson: 'Als NDJSON speichern' },
  },
])(
  'the audit log shows and saves the entries of a range in the time of the browser: $locale',
  async ({ locale, from, before, none, csv, ndjson }) => {
    const { page, context, complaints } = await openPage(browser, { locale });
    await signIn(page, stack.app.url, 'Vera Vendor');
    await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/auditLog`);
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(24);
    await page.getByLabel(from).fill('2020-07-01T10:00');
    await page.getByLabel(before).fill('2020-07-01T12:00');
    await expect.poll(() => rows.count()).toBe(2);
    for (const actor of ['person-8', 'person-9']) await page.getByText(actor, { exact: true }).waitFor();
    await expectAccessible(page);
    const records = (await savedBy(page, csv)).trimEnd().split('\r\n');
    expect(records.map((record) => /person-\d+/.exec(record)?.[0])).toEqual([
      undefined,
      ...['person-9', 'person-8'],
    ]);
    const lines = (await savedBy(page, ndjson)).trimEnd().split('\n');
    const actors = lines.map((line) => (JSON.parse(line) as { actor: string }).actor);
    expect(actors).toEqual(['person-9', 'person-8']);
    await page.getByLabel(from).fill('2020-07-01T11:30');
    await page.getByLabel(before).fill('2020-07-01T11:45');
    await page.getByText(none).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
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
  await page.getByLabel('From').fill('2020-07-01T10:00');
  await page.getByLabel('Before').fill('2020-07-01T11:00');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  await page.getByText('person-8', { exact: true }).waitFor();
  await context.close();
});
