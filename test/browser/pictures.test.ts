import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { namedPackage } from './support/seeded-pages.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../docs/images');
let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** The pictures in the documents, and how each is taken. */
const PICTURES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
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
  },
};

test('the documents have no other pictures', () => {
  const pictures = readdirSync(IMAGES).filter((each) => !each.endsWith('.yaml'));
  expect(pictures.toSorted()).toEqual(Object.keys(PICTURES).map((name) => `${name}.png`));
});

// Pixels depend on the machine's fonts; the words and the structure of a page do not.
test.each(Object.entries(PICTURES))(
  'the picture %s shows the words and the structure of the page; -u takes it anew',
  async (name, take) => {
    const { page } = await openPage(browser, { viewport: { width: 1100, height: 820 } });
    await take(page);
    if (expect.getState().snapshotState.snapshotUpdateState === 'all')
      await page.screenshot({ path: path.join(IMAGES, `${name}.png`) });
    const shown = await page.locator('body').ariaSnapshot();
    await expect(`${shown}\n`).toMatchFileSnapshot(path.join(IMAGES, `${name}.yaml`));
  },
);
