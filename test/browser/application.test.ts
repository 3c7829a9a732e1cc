import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor } from './support/seeded-pages.ts';
import { samplePackage } from '../support/sample-package.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const PAGE =
  '<!doctype html><title>Curious</title><p>…</p><script type="module" src="./curious.js"></script>';

/** Tries whatever code of a vendor should not reach. */
const scriptFor = (portal: string) => `
const tried = (act) => { try { return String(act()); } catch { return 'refused'; } };
const answer = await fetch('${portal}/portal/session', { credentials: 'include' }).then(
  (found) => found.status, () => 'refused');
const farmer = await new Promise((resolve) => {
  addEventListener('message', ({ data }) => resolve(data));
  parent.postMessage({ type: 'other' }, '*');
  parent.postMessage({ type: 'farmer.request' }, '*');
});
document.querySelector('p').textContent = [
  'origin ' + self.origin,
  'storage ' + tried(() => localStorage.length),
  'cookies ' + tried(() => document.cookie),
  'parent ' + tried(() => parent.document.title),
  'call ' + answer,
  'farmer ' + JSON.stringify(farmer),
].join(', ');
`;

test('an installed application is opened in a frame that sees nothing of the portal but the organization and the language', async () => {
  const translations = [{ languageId: stack.app.api.catalogue.englishId, moduleName: 'Curious module' }];
  const files = {
    'PackageArtifact/build/index.html': PAGE,
    'PackageArtifact/build/curious.js': scriptFor(stack.app.url),
  };
  const zip = samplePackage(stack.app.api.catalogue, { descriptor: { translations }, files });
  const moduleId = await importAsVendor(stack, zip);
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/installations/${moduleId}`);
  const { page, requested } = await openPage(browser);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/market`);
  await page.getByRole('link', { name: 'Open: Curious module' }).click();
  await page.getByRole('heading', { name: 'Curious module' }).waitFor();
  const text = page.frameLocator('iframe').getByText('origin');
  const farmer = { type: 'farmer', organizationId: FARM_ID, language: 'en', token: null };
  expect(await text.textContent()).toBe(
    `origin null, storage refused, cookies refused, parent refused, call refused, farmer ${JSON.stringify(farmer)}`,
  );
  expect(requested).toContain(`${stack.app.applicationOrigin}/${moduleId}/1/curious.js`);
});
