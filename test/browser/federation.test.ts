import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { portOf } from '../../shared/local/free-port.ts';
import { launchChromium, openPage } from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import { samplePackage } from '../support/sample-package.ts';
import { callAs, importAsVendor } from './support/seeded-pages.ts';

const FIXTURE = path.resolve(import.meta.dirname, '../fixtures/federation');
const built = () => path.join(inject('scratch'), 'federation');

let stack: PortalStack;
let browser: Browser;
/** Pages of an origin that the settings name, and of one that they do not. */
let hosts: readonly Server[];

const hostUrl = (index: number) => {
  const host = hosts[index];
  if (host === undefined) throw new Error('there is no such host');
  return `http://127.0.0.1:${portOf(host)}`;
};

async function startHost(): Promise<Server> {
  const [page, script] = ['host.html', 'load-component.js'].map((name) =>
    readFileSync(path.join(FIXTURE, name)),
  );
  const server = createServer(({ url }, response) => {
    if (url === '/load-component.js') response.setHeader('Content-Type', 'text/javascript').end(script);
    else response.setHeader('Content-Type', 'text/html').end(page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

beforeAll(async () => {
  // As in a build of the vendor's: the plugin behaves differently in a test.
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production' };
  execFileSync(process.execPath, [path.join(FIXTURE, 'build.mjs'), built()], { stdio: 'pipe', env });
  hosts = [await startHost(), await startHost()];
  const settings = { APP_HOST_ORIGINS: hostUrl(0) };
  [stack, browser] = await Promise.all([startPortalStack({ settings }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
  for (const host of hosts) host.close();
});

type App = Readonly<Record<string, unknown>>;

/** Imports the remote that a bundler has built, and installs it; what the installation says to hosts. */
async function install(bundler: string): Promise<App> {
  const folder = path.join(built(), bundler);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((each) => each.isFile())
    .map((each) => {
      const file = path.join(each.parentPath, each.name);
      const name = path.relative(folder, file).split(path.sep).join('/');
      return [`PackageArtifact/build/${name}`, readFileSync(file)] as const;
    });
  const zip = samplePackage(stack.app.api.catalogue, {
    descriptor: { scope: `${bundler}Notes`, component: './Widget', entryFileUrl: 'remoteEntry.js' },
    files: { ...Object.fromEntries(files), 'PackageArtifact/build/index.html': null },
  });
  const moduleId = await importAsVendor(stack, zip);
  const { app } = await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/installations/${moduleId}`);
  return app as App;
}

async function render(host: number, app: App) {
  const { page, complaints, requested } = await openPage(browser);
  await page.goto(`${hostUrl(host)}/?app=${encodeURIComponent(JSON.stringify(app))}`);
  await page.locator('main:not(:empty)').waitFor();
  return { text: await page.locator('main').textContent(), complaints, requested, page };
}

describe.each([
  ['Vite', true],
  ['webpack', false],
])('a federated remote that %s has built, imported and installed', (bundler, isModule) => {
  let app: App;

  beforeAll(async () => {
    app = { ...(await install(bundler.toLowerCase())), isModule };
  });

  test('is rendered by a host on another origin, with all its chunks from the origin of applications', async () => {
    const { text, complaints, requested } = await render(0, app);
    expect(text).toBe(`rendered by the remote of ${bundler}`);
    expect(complaints.filter((each) => !each.includes('favicon'))).toEqual([]);
    const scripts = requested.filter((each) => each.endsWith('.js') && !each.startsWith(hostUrl(0)));
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.filter((each) => !each.startsWith(String(app['baseUrl'])))).toEqual([]);
  });

  test('is not run if its entry file is not the one with the hash of the installation', async () => {
    const { text } = await render(0, { ...app, entrySha256: '0'.repeat(64) });
    expect(text).toMatch(/^failed: /);
  });

  test('is checked without an import map, of which a page may follow only the first', async () => {
    const { page } = await render(0, app);
    const other = { ...app, entryUrl: `${String(app['entryUrl'])}?second`, entrySha256: '0'.repeat(64) };
    const second = `loadComponent(${JSON.stringify(other)}, ${isModule}).then(() => 'loaded', ({ message }) => message)`;
    expect(await page.evaluate(second)).toBe('not loaded');
    expect(await page.locator('script[type=importmap]').count()).toBe(0);
  });

  test('is not read by a page of an origin that the settings do not name', async () => {
    expect((await render(1, app)).text).toMatch(/^failed: /);
  });
});
