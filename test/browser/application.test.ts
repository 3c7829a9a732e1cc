import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor } from './support/seeded-pages.ts';
import { samplePackage } from '../support/sample-package.ts';

let stack: PortalStack;
let browser: Browser;
/** The portal at the site of applications. */
let portal: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
  portal = stack.app.url.replace('127.0.0.1', 'modules.localhost');
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const PAGE = '<!doctype html><title>Curious</title><p>…</p><script type="module" src="./main.js"></script>';
const SUB_PAGE = '<!doctype html><title>Part of the application</title>';
const WORKER = "postMessage('works')";

/** Uses what a page on the web has, and tries what code of a vendor should not reach. */
const curiousScript = () => `
const tried = async (act) => { try { return String(await act()); } catch { return 'refused'; } };
const frame = Object.assign(document.createElement('iframe'), { src: './part.html' });
const framed = new Promise((resolve) => (frame.onload = resolve));
document.body.append(frame);
await framed;
const message = (target) => new Promise((resolve) => (target.onmessage = ({ data }) => resolve(data)));
const visits = 1 + Number(localStorage.getItem('visits'));
localStorage.setItem('visits', visits);
const found = document.cookie;
document.cookie = 'own=1';
const farmer = await new Promise((resolve) => {
  addEventListener('message', ({ data }) => resolve(data));
  parent.postMessage({ type: 'other' }, '*');
  parent.postMessage({ type: 'farmer.request' }, '*');
});
const portal = ${JSON.stringify(portal)};
document.querySelector('p').textContent = JSON.stringify({
  origin: self.origin,
  visits,
  cookies: [found, document.cookie],
  worker: await message(new Worker('./worker.js')),
  frame: frame.contentDocument.title,
  serviceWorker: await tried(() => navigator.serviceWorker.register('./worker.js')),
  parent: await tried(() => parent.document.title),
  session: await tried(() => fetch(portal + '/portal/session', { credentials: 'include' })),
  blind: await tried(() =>
    fetch(portal + '/portal/session', { method: 'DELETE', mode: 'no-cors', credentials: 'include' })),
  farmer,
});
`;

/** Imports a module with this script, installs it at the farm, and returns its ID. */
async function installed(moduleName: string, script: string): Promise<string> {
  const translations = [{ languageId: stack.app.api.catalogue.englishId, moduleName }];
  const files = {
    'PackageArtifact/build/index.html': PAGE,
    'PackageArtifact/build/part.html': SUB_PAGE,
    'PackageArtifact/build/worker.js': WORKER,
    'PackageArtifact/build/main.js': script,
  };
  const zip = samplePackage(stack.app.api.catalogue, { descriptor: { translations }, files });
  const moduleId = await importAsVendor(stack, zip);
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/installations/${moduleId}`);
  return moduleId;
}

/** Opens an application from the market, and reads what it shows. */
async function open(page: Page, moduleName: string): Promise<unknown> {
  await page.goto(`${portal}/portal/${FARM_ID}/market`);
  await page.getByRole('link', { name: `Open: ${moduleName}` }).click();
  await page.getByRole('heading', { name: moduleName }).waitFor();
  const text = await page.frameLocator('iframe').getByText('origin').textContent();
  return JSON.parse(text ?? '');
}

test('an application has storage, workers and frames as on the web, reaches nothing of the portal, and is given the organization and the language', async () => {
  const moduleId = await installed('Curious module', curiousScript());
  const { page } = await openPage(browser);
  await signIn(page, portal, 'Fiona Farmer');
  const shown = {
    origin: stack.app.applicationOrigin(moduleId),
    visits: 1,
    cookies: ['', 'own=1'],
    worker: 'works',
    frame: 'Part of the application',
    serviceWorker: 'refused',
    parent: 'refused',
    session: 'refused',
    farmer: { type: 'farmer', organizationId: FARM_ID, language: 'en', token: null },
  };
  expect(await open(page, 'Curious module')).toMatchObject(shown);
  // The blind request ended no session.
  expect(await open(page, 'Curious module')).toMatchObject({
    ...shown,
    visits: 2,
    cookies: ['own=1', 'own=1'],
  });
  await page.context().close();
});

test('two applications share no storage and no cookies', async () => {
  await installed('First module', curiousScript());
  await installed('Second module', curiousScript());
  const { page } = await openPage(browser);
  await signIn(page, portal, 'Fiona Farmer');
  const fresh = { visits: 1, cookies: ['', 'own=1'] };
  expect(await open(page, 'First module')).toMatchObject(fresh);
  expect(await open(page, 'Second module')).toMatchObject(fresh);
  await page.context().close();
});

test('no other page can embed an application, and one in a tab of its own is given no farmer', async () => {
  const moduleId = await installed('Wanted module', curiousScript());
  const address = `${stack.app.applicationOrigin(moduleId)}/1/index.html`;
  const { page } = await openPage(browser);
  const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.setContent(`<iframe src="${address}"></iframe>`);
  await refused;
  await page.goto(address);
  await page.locator('iframe').waitFor();
  await expect.poll(() => page.locator('p').textContent()).not.toContain(FARM_ID);
  await page.context().close();
});
