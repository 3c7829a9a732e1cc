import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { createApiClient } from '../../shared/client/api-client.ts';
import { DEMONSTRATION } from '../../shared/local/demonstration.ts';
import { freePort } from '../../shared/local/free-port.ts';
import { signTokenOfAll } from '../support/farmed-module.ts';
import { replaced, shellBlockWith } from '../support/page-blocks.ts';
import { runCommands } from '../support/run-shell.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { launchChromium, openPage } from './support/chromium.ts';

const GUIDE = 'docs/hosts.md';
const MODULE_ID = 'a1c0ffee-0000-4000-8000-000000000010';
const folder = path.join(inject('scratch'), `host-${randomUUID()}`);
const dataDir = path.join(folder, 'data');
const [applicationsPort, hostPort] = [await freePort(), await freePort()];
/** Other ports than those of the guide, which other tests may use. */
const PORTS = { '8081': String(applicationsPort), '3000': String(hostPort) };

/** The settings before the guide's `npm start`. */
function settingsOfGuide(): Readonly<Record<string, string>> {
  const [command = ''] = replaced(shellBlockWith(GUIDE, 'npm start'), PORTS).split(' npm start');
  const settings = command.split(' ').map((each) => each.split('='));
  return Object.fromEntries(settings.map(([name = '', value = '']) => [name, value]));
}

const local = sharedStack(dataDir, settingsOfGuide());

/** The guide's page and server, as its commands start them. */
async function startHost() {
  await mkdir(folder, { recursive: true });
  await copyFile('test/browser/host/host.html', path.join(folder, 'host.html'));
  const program = await readFile('test/browser/host/host.mjs', 'utf8');
  await writeFile(path.join(folder, 'host.mjs'), program.replaceAll('3000', String(hostPort)));
  const commands = replaced(shellBlockWith(GUIDE, 'host.mjs'), {
    'http://127.0.0.1:8080': local.stack.url,
    '8081': String(applicationsPort),
    '.data/': `${folder}/`,
  });
  await runCommands({ HOME: folder, DATA_DIR: dataDir }, commands).outputs('Open http');
}

test('the commands of docs/hosts.md run an application in a page beside npm start, and offer what is rolled back to', async () => {
  await startHost();
  const browser = await launchChromium();
  const { page, complaints } = await openPage(browser);
  await page.goto(`http://farm.modules.localhost:${hostPort}`);
  await page.frameLocator('iframe').getByText('North 1: 31 %').waitFor();
  const vendor = createApiClient(local.stack.url, { token: await signTokenOfAll(dataDir) });
  const { response } = await vendor.POST(
    '/api/v8.0/{orgId}/modules/{moduleId}/revisions/{revision}/release',
    { params: { path: { orgId: DEMONSTRATION.vendor.id, moduleId: MODULE_ID, revision: '1' } } },
  );
  expect(response.status).toBe(200);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('button', { name: 'A new version is available: load it' }).click();
  await expect.poll(() => page.locator('iframe').getAttribute('src')).toContain('/1/index.html');
  await page.frameLocator('iframe').getByText('North 1: 31 %').waitFor();
  expect(complaints).toEqual([]);
  await browser.close();
});
