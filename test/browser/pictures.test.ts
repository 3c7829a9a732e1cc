import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, namedPackage } from './support/seeded-pages.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../docs/images');
let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

// Each picture has a service of its own, so that it shows nothing of another one.
beforeEach(async () => {
  stack = await startPortalStack();
});

afterEach(() => stack.stop());

afterAll(() => browser.close());

/** The pictures in the documents, how each is taken, and the part of the page whose words count. */
const PICTURES: Readonly<Record<string, (page: Page) => Promise<Locator>>> = {
  'portal-import': async (page) => {
    const alertRules =
      'schema: 1.1\ncriterias:\n  humidity:\n    displayName: { de: Feuchte }\n    parts: {}\n';
    const members = { deploymentType: 'x', moduleFiles: [{ file: 'ModuleToS/absent.md' }] };
    const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': alertRules };
    const buffer = namedPackage(stack, members, files);
    await signIn(page, stack.app.url, 'Vera Vendor');
    await page.setInputFiles('input[type=file]', {
      name: 'soil-moisture.zip',
      mimeType: 'application/zip',
      buffer,
    });
    await page.getByText('Nothing was saved.').waitFor();
    return page.locator('body');
  },
  'portal-preview': async (page) => {
    const { catalogue } = stack.app.api;
    const languageId = catalogue.entry('languages', 'de')?.id;
    const german = { moduleName: 'Bodenfeuchte', shortDescription: 'Wann Sie bewässern sollten, je Feld' };
    const members = {
      cropIds: [catalogue.entry('crops', 'potato')?.id],
      translations: [
        { languageId: catalogue.englishId, moduleName: 'Soil moisture' },
        {
          languageId,
          ...german,
          description: 'Misst die Feuchte im Boden und warnt, bevor Ihre Kartoffeln leiden.',
        },
      ],
    };
    const moduleId = await importAsVendor(stack, namedPackage(stack, members));
    const policy = { releasePolicy: 'manual' };
    await callAs(stack, 'vendor-admin', `PATCH /${VENDOR_ID}/modules/${moduleId}`, policy);
    const next = { ...members, moduleId, vendorInternalCodeVersion: '2.0' };
    await importAsVendor(stack, namedPackage(stack, next));
    await signIn(page, stack.app.url, 'Vera Vendor');
    await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/releases`);
    await page.getByRole('link', { name: 'View as a farmer: 2' }).click();
    await page.getByLabel("Farmer's language").selectOption('de');
    await page.getByRole('heading', { name: 'Bodenfeuchte' }).waitFor();
    // The titles are of the documents' texts, which come after the page.
    await page.getByText('Bedingungen: Terms').waitFor();
    await page.getByText('Datenschutz: Privacy').waitFor();
    return page.getByRole('main');
  },
  'portal-reviews': async (page) => {
    const moduleId = await importAsVendor(stack, namedPackage(stack));
    await callAs(stack, 'farmer-admin', `POST /${FARM_ID}/availableModules/${moduleId}/reports`, {
      reason: 'privacy',
      text: 'It shows our fields to other farms.',
    });
    await signIn(page, stack.app.url, 'Otto Operator');
    await page.goto(`${stack.app.url}/portal/operations`);
    await page.getByText('It shows our fields to other farms.').waitFor();
    return page.getByRole('region', { name: 'Reviews of modules' });
  },
};

test('the documents have no other pictures', () => {
  const pictures = readdirSync(IMAGES).filter((each) => !each.endsWith('.yaml'));
  expect(pictures.toSorted()).toEqual(Object.keys(PICTURES).map((name) => `${name}.png`));
});

/** What differs in each run: IDs, days, and how long ago something was. */
const VARYING =
  /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\bnow\b|\d{1,2} minutes? ago|\d{1,2}\.\d{1,2}\.\d{4}/g;

// Pixels depend on the machine's fonts; the words and the structure of a page do not.
test.each(Object.entries(PICTURES))(
  'the picture %s shows the words and the structure of the page; -u takes it anew',
  async (name, take) => {
    const { page } = await openPage(browser, { viewport: { width: 1100, height: 820 } });
    const part = await take(page);
    if (expect.getState().snapshotState.snapshotUpdateState === 'all')
      await page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
    const shown = (await part.ariaSnapshot()).replaceAll(VARYING, '…');
    await expect(`${shown}\n`).toMatchFileSnapshot(path.join(IMAGES, `${name}.yaml`));
  },
);
