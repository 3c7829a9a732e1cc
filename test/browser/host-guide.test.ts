import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { portOf } from '../../shared/local/free-port.ts';
import { replaced } from '../support/page-blocks.ts';
import { samplePackage } from '../support/sample-package.ts';
import { jwks, signFarmer } from './host/sign-farmer.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor } from './support/seeded-pages.ts';

const BLOCKS = [
  ['html', 'test/browser/host/host.html'],
  ['js', 'test/browser/host/host.mjs'],
  ['ts', 'test/browser/host/sign-farmer.ts'],
  ['js', 'test/browser/host/farmer.js'],
  ['ts', 'test/browser/host/verify-farmer.ts'],
  ['js', 'test/fixtures/federation/load-component.js'],
] as const;
const HOST_PAGE = readFileSync(BLOCKS[0][1], 'utf8');
const FARMER_SCRIPT = readFileSync(BLOCKS[3][1], 'utf8');

const PAGE = '<!doctype html><p>Nobody</p><script type="module" src="./main.js"></script>';
/** Shows what the host and the module's back end say about the farmer. */
const scriptOf = (version: number, backEnd: string) => `
import { farmer } from './farmer.js';
const { organizationId, language, token } = await farmer();
const answer = await fetch('${backEnd}', { headers: { Authorization: token } });
document.querySelector('p').textContent =
  ['version ${version}', organizationId, language, await answer.text()].join(', ');
`;

let stack: PortalStack;
let browser: Browser;
let host: Server;
let backEnd: Server;
let verifyFarmer: (token: string) => Promise<string>;
let moduleId = '';

const urlOf = (server: Server) => `http://127.0.0.1:${portOf(server)}`;

async function serve(answer: RequestListener): Promise<Server> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The farm platform: its page, and what its server says to the page and to back ends of modules. */
const answerAsHost: RequestListener = ({ url = '/' }, response) => {
  const language = 'de';
  const answers = {
    '/session': async () => {
      const accessToken = (await stack.bearer('farmer-admin')).replace('Bearer ', '');
      return { organizationId: FARM_ID, accessToken };
    },
    '/jwks.json': () => jwks,
    [`/farmer/${moduleId}`]: async () => {
      const token = await signFarmer(urlOf(host), 'fiona', FARM_ID, moduleId);
      return { organizationId: FARM_ID, language, token };
    },
  };
  const answer = answers[url as keyof typeof answers];
  if (answer === undefined) {
    response.setHeader('Content-Type', 'text/html').end(
      replaced(HOST_PAGE, {
        'https://*.apps.example.com': stack.app.applicationOrigin('*'),
        'https://modules.example.com': stack.app.url,
      }),
    );
    return;
  }
  void Promise.resolve(answer()).then((body) => response.end(JSON.stringify(body)));
};

/** The back end of the module: its application may call it. */
const answerAsBackEnd: RequestListener = ({ method, headers }, response) => {
  response.setHeader('Access-Control-Allow-Origin', stack.app.applicationOrigin(moduleId));
  response.setHeader('Access-Control-Allow-Headers', 'Authorization');
  if (method === 'OPTIONS') {
    response.end();
    return;
  }
  verifyFarmer(headers.authorization ?? '').then(
    (organizationId) => response.end(`verified ${organizationId}`),
    () => response.writeHead(401).end('refused'),
  );
};

async function importVersion(version: number): Promise<string> {
  const files = {
    'PackageArtifact/build/index.html': PAGE,
    'PackageArtifact/build/farmer.js': FARMER_SCRIPT,
    'PackageArtifact/build/main.js': scriptOf(version, urlOf(backEnd)),
  };
  const descriptor = moduleId === '' ? {} : { moduleId };
  return importAsVendor(stack, samplePackage(stack.app.api.catalogue, { descriptor, files }));
}

beforeAll(async () => {
  host = await serve(answerAsHost);
  backEnd = await serve(answerAsBackEnd);
  const settings = { CORS_ORIGINS: urlOf(host), APP_HOST_ORIGINS: urlOf(host) };
  [stack, browser] = await Promise.all([startPortalStack({ settings }), launchChromium()]);
  moduleId = await importVersion(1);
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/installations/${moduleId}`);
  vi.stubEnv('HOST', urlOf(host));
  vi.stubEnv('MODULE_ID', moduleId);
  ({ verifyFarmer } = await import('./host/verify-farmer.ts'));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await browser.close();
  await stack.stop();
  host.close();
  backEnd.close();
});

/** As when the farmer returns to the tab. */
const returnTo = (page: Page) => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

test('the page of the guide runs an application for its farmer, offers a new version, and ends what is uninstalled', async () => {
  const { page, complaints } = await openPage(browser, { viewport: { width: 1_280, height: 900 } });
  await page.goto(urlOf(host));
  const shows = (version: number) =>
    page
      .frameLocator('iframe')
      .getByText(`version ${version}, ${FARM_ID}, de, verified ${FARM_ID}`)
      .waitFor();
  await shows(1);
  await page.getByTitle('Soil moisture').waitFor();
  await expectAccessible(page);
  await importVersion(2);
  await returnTo(page);
  const offer = page.getByRole('button', { name: 'A new version is available: load it' });
  await offer.waitFor();
  await takeScreenshot(page, 'host-guide');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, 'host-guide-360');
  await offer.click();
  await shows(2);
  await expect.poll(() => offer.isVisible()).toBe(false);
  await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/installations/${moduleId}`);
  await returnTo(page);
  await page.locator('iframe').waitFor({ state: 'detached' });
  expect(complaints.filter((each) => !each.includes('favicon'))).toEqual([]);
  await page.context().close();
});

test('a token for an application is refused by other modules and by the service', async () => {
  const other = await signFarmer(urlOf(host), 'fiona', FARM_ID, FARM_ID);
  await expect(verifyFarmer(other)).rejects.toThrow('aud');
  const token = await signFarmer(urlOf(host), 'fiona', FARM_ID, moduleId);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await stack.app.fetch(`/api/v8.0/${FARM_ID}/installations`, { headers })).status).toBe(401);
});

test('docs/hosts.md shows the code that was run, with a page of at most 60 lines', () => {
  const guide = readFileSync('docs/hosts.md', 'utf8');
  const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => [
    language,
    text,
  ]);
  const shown = blocks.filter(([language]) => language !== 'sh');
  expect(shown).toEqual(BLOCKS.map(([language, file]) => [language, readFileSync(file, 'utf8')]));
  expect(HOST_PAGE.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});
