import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  openVendorPage,
  signIn,
  tabTo,
  takeScreenshot,
} from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, makeKey, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

function zipFile(buffer: Buffer, name = 'package.zip') {
  return { name, mimeType: 'application/zip', buffer };
}

function goodPackage(scope: string): Buffer {
  return namedPackage(stack, { scope });
}

function badPackage(): Buffer {
  return namedPackage(stack, { deploymentType: 'x', unknownMember: 1, translations: [] });
}

async function devResources(page: Page, scope: string): Promise<string> {
  const moduleId = await importAsVendor(stack, goodPackage(scope));
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`);
  await page.getByRole('link', { name: 'Dev Resources' }).click();
  await page.getByRole('heading', { name: 'App Registrations' }).waitFor();
  return moduleId;
}

function structuresWith(key: string, moduleId: string) {
  return stack.app.fetch(`/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`, {
    headers: { 'X-Api-Key': key },
  });
}

test('signing in needs two clicks, and signing out ends the session', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const session = await page.request.get(`${stack.app.url}/portal/session`);
  expect(await session.json()).toBeNull();
});

test('scripts can access neither the session nor a token', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const reached = await page.evaluate<string>(
    'document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })',
  );
  expect(reached).not.toMatch(/eyJ|session/);
});

test('a valid package goes through upload and every step, and its module is listed', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.setInputFiles('input[type=file]', zipFile(goodPackage('goodOne')));
  await page.getByText('The module was created.').waitFor();
  await expect
    .poll(() => page.locator('.step-done').allTextContents())
    .toEqual(['Waiting for a worker', 'Reading the archive', 'Validating the package', 'Saving the module']);
  expect(
    await page.evaluate<boolean>(
      "document.querySelector('progress').value === document.querySelector('progress').max",
    ),
  ).toBe(true);
  await page.locator('.card', { hasText: 'goodOne' }).waitFor();
});

test('a package that is dropped on the page is imported', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  // As text, because the tests have no DOM types.
  const dropped = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob('${goodPackage('droppedOne').toString('base64')}'), (each) => each.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], 'dropped.zip'));
    return transfer;
  })()`);
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText('The module was created.').waitFor();
});

test('a rejected package shows every problem by file, with its location and a link to its explanation', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.setInputFiles('input[type=file]', zipFile(badPackage()));
  await page.getByText('The package was rejected because of 2 problems. Nothing was saved.').waitFor();
  const group = page.locator('.problems section', { hasText: 'moduleSchema.json' });
  const invalid = group.locator('li', { hasText: 'deploymentType' });
  await expect
    .poll(() => invalid.textContent())
    .toMatch(/\/deploymentType.*line 1, column \d.*descriptor-invalid/);
  await takeScreenshot(page, 'import-refused');
  const explanation = await group
    .getByRole('link', { name: 'descriptor-english-missing' })
    .getAttribute('href');
  expect((await stack.app.fetch(explanation ?? '')).status).toBe(200);
});

test('validating a package stores nothing, and so does validating the next one', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const onlyCheck = page.getByLabel('Validate without saving');
  await onlyCheck.check();
  await page.setInputFiles('input[type=file]', zipFile(badPackage()));
  await page.getByText('The package was rejected').waitFor();
  await page.getByRole('button', { name: 'Import another package' }).click();
  await expect.poll(() => onlyCheck.isChecked()).toBe(true);
  await page.setInputFiles('input[type=file]', zipFile(goodPackage('onlyChecked')));
  await page.getByText('The package is valid. Nothing was saved.').waitFor();
  await expect.poll(() => page.locator('.card', { hasText: 'onlyChecked' }).count()).toBe(0);
});

test('a file that is not a ZIP is not sent', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.setInputFiles('input[type=file]', zipFile(Buffer.from('x'), 'notes.txt'));
  await page.getByText('Not a ZIP file.').waitFor();
});

test('an upload shows how much of it is sent, in percent', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
  await network.send('Network.emulateNetworkConditions', slow);
  const large = randomBytes(750_000).toString('base64');
  const buffer = namedPackage(stack, { scope: 'largeOne' }, { 'PackageArtifact/build/data.txt': large });
  await page.setInputFiles('input[type=file]', zipFile(buffer));
  await page.getByText(/^[1-9]\d?% · \S+ kB of \S+ [kM]B sent$/).waitFor();
  await page.getByText('The module was created.').waitFor();
});

test('the steps are shown while the import waits for a worker, by polling if the event stream is interrupted', async () => {
  const idle = await startPortalStack({ worker: false });
  const { page, context } = await openPage(browser);
  await context.route('**/events', (route) => route.abort());
  await signIn(page, idle.app.url, 'Vera Vendor');
  await page.setInputFiles('input[type=file]', zipFile(namedPackage(idle)));
  await page.locator('[aria-current=step]', { hasText: 'Waiting for a worker' }).waitFor();
  await idle.app.startWorker();
  await page.getByText('The module was created.').waitFor();
  await context.close();
  await idle.stop();
});

test('a package without an ID updates the module on whose page it is imported', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, goodPackage('updatedOne'));
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`);
  await page.getByText('Update this module').click();
  await takeScreenshot(page, 'update-module');
  const second = namedPackage(stack, { scope: 'updatedOne', component: 'second' });
  await page.setInputFiles('input[type=file]', zipFile(second));
  await page.getByText('The module was updated.').waitFor();
  await page.getByText('Revision 2').first().waitFor();
});

test.each(['revisions', 'imports'])(
  'an update is listed at once on the open tab with the %s',
  async (tab) => {
    const page = await openVendorPage(browser, stack.app.url);
    const moduleId = await importAsVendor(stack, goodPackage(`${tab}Listed`));
    await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/${tab}`);
    const listed = page.locator(tab === 'imports' ? '.history > li' : 'tbody tr');
    await expect.poll(() => listed.count()).toBe(1);
    await page.getByText('Update this module').click();
    const second = namedPackage(stack, { scope: `${tab}Listed`, component: 'second' });
    await page.setInputFiles('input[type=file]', zipFile(second));
    await page.getByText('The module was updated.').waitFor();
    await expect.poll(() => listed.count()).toBe(2);
  },
);

test('a rejected update is listed at once on the open tab with the imports', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, goodPackage('rejectedListed'));
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/imports`);
  await page.getByText('Update this module').click();
  await page.setInputFiles('input[type=file]', zipFile(badPackage(), 'update.zip'));
  await page.getByText('The package was rejected').waitFor();
  await page.locator('.history > li', { hasText: 'update.zip' }).waitFor();
});

test('a package with the scope of an own module offers to update it', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await importAsVendor(stack, goodPackage('scopedOne'));
  const second = namedPackage(stack, { scope: 'scopedOne', component: 'second' });
  await page.setInputFiles('input[type=file]', zipFile(second));
  await page.getByText('The package was rejected because of 1 problem.').waitFor();
  await takeScreenshot(page, 'update-own');
  await page.getByRole('button', { name: 'Update your module with this package' }).click();
  await page.getByText('The module was updated.').waitFor();
});

test('importing an export again is unchanged', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await importAsVendor(stack, goodPackage('exported'));
  await page.reload();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.card', { hasText: 'exported' }).getByText('Export Module ZIP').click(),
  ]);
  const zip = await readFile(await download.path());
  await page.setInputFiles('input[type=file]', zipFile(zip));
  await page.getByText('The package is identical').waitFor();
});

test('an added app shows its key once, until it is said to be saved; the key works until the app is revoked', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await devResources(page, 'withApps');
  await page.getByRole('button', { name: 'Add App' }).click();
  await page.getByLabel('Name').fill('Advice server');
  await page.getByRole('dialog').getByRole('button', { name: 'Add App' }).click();
  const key = await page.getByRole('textbox', { name: 'API key' }).inputValue();
  const dialog = page.getByRole('dialog');
  // A browser lets a page refuse the second Escape only after a click or a key between.
  for (let pressed = 0; pressed < 3; pressed += 1) await page.keyboard.press('Escape');
  await dialog.getByText('You will not be able to see it again.').waitFor();
  expect(await page.evaluate<boolean>("document.querySelector('dialog').open")).toBe(true);
  // As Android's gesture "back" does.
  await page.evaluate("document.querySelector('dialog').close()");
  await expect
    .poll(() => page.evaluate<boolean>("document.querySelector('dialog').matches(':modal')"))
    .toBe(true);
  await page.getByRole('button', { name: 'I have saved the key' }).click();
  expect(await page.content()).not.toContain(key);
  expect((await structuresWith(key, moduleId)).status).toBe(200);

  await page.getByRole('button', { name: 'Revoke: Advice server' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('cell', { name: 'revoked', exact: true }).waitFor();
  await expect.poll(async () => (await structuresWith(key, moduleId)).status).toBe(401);
});

test('a key expires at the start of the chosen day where the reader is, in a year of at most four digits', async () => {
  const { page } = await openPage(browser, { timezoneId: 'America/Phoenix' });
  await signIn(page, stack.app.url, 'Vera Vendor');
  const moduleId = await devResources(page, 'withExpiry');
  await page.getByRole('button', { name: 'Add App' }).click();
  const dialog = page.getByRole('dialog');
  const expires = dialog.getByLabel('Expires');
  const add = dialog.getByRole('button', { name: 'Add App' });
  await expires.fill('12026-01-01');
  await add.click();
  await dialog.locator('input:out-of-range').waitFor();
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  await expires.fill(day);
  await add.click();
  await dialog.getByRole('button', { name: 'I have saved the key' }).click();
  const { items } = await callAs(stack, 'vendor-admin', `GET /${VENDOR_ID}/apiClients/${moduleId}`);
  expect(items).toMatchObject([{ expiresOn: `${day}T07:00:00.000+00:00` }]);
});

test.each([
  ['en-GB', 'Refresh: Requests', 'Requests', 'App', 'Only failed requests'],
  ['de-DE', 'Aktualisieren: Anfragen', 'Anfragen', 'App', 'Nur fehlgeschlagene Anfragen'],
])(
  'requests of a back end are listed by app, and those that failed, in %s',
  async (locale, refresh, title, app, onlyFailed) => {
    const moduleId = await importAsVendor(stack, goodPackage(`requests${locale.slice(0, 2)}`));
    const key = await makeKey(stack, moduleId);
    expect((await structuresWith(key, moduleId)).status).toBe(200);
    const refused = await structuresWith(key, randomUUID());
    await stack.app.api.keyRequests.flush();
    for (const width of [360, 1280]) {
      const { page } = await openPage(browser, { locale, viewport: { width, height: 900 } });
      await signIn(page, stack.app.url, 'Vera Vendor');
      await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/dev`);
      const table = page.getByRole('region', { name: title, exact: true });
      await table.getByText('GET /api/v8.0/Alerts/StructuresByModuleId/{moduleId}').first().waitFor();
      await takeScreenshot(page, `key-requests-${locale}-${width}`);
      await page.getByLabel(onlyFailed).check();
      await expect.poll(() => table.locator('tbody tr').count()).toBe(1);
      await table.getByText('403', { exact: true }).waitFor();
      await table.getByText(refused.headers.get('x-trace-id') ?? '').waitFor();
      await page.getByRole('combobox', { name: app, exact: true }).selectOption('Advice server');
      await page.getByRole('button', { name: refresh }).click();
      await table.getByText('403', { exact: true }).waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.context().close();
    }
  },
);

test('a rotated app has a new key besides the old one', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await devResources(page, 'rotated');
  await page.getByRole('button', { name: 'Add App' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Add App' }).click();
  const before = await page.getByRole('textbox', { name: 'API key' }).inputValue();
  await page.getByRole('button', { name: 'I have saved the key' }).click();
  await page.getByRole('button', { name: /^Rotate/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const after = await page.getByRole('textbox', { name: 'API key' }).inputValue();
  expect(after).not.toBe(before);
  for (const key of [before, after]) expect((await structuresWith(key, moduleId)).status).toBe(200);
});

test('a package with another scope renames the module on request; two revisions show what changed between them', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, goodPackage('revised'));
  const renamed = namedPackage(stack, { moduleId, scope: 'revisedAgain' });
  await page.setInputFiles('input[type=file]', zipFile(renamed));
  await page.getByRole('button', { name: 'Rename the module to the scope of this package' }).click();
  await page.getByText('The module was updated.').waitFor();
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/revisions`);
  const change = page.locator('.changes li', { hasText: 'scope' });
  await expect.poll(() => change.locator('del').textContent()).toBe('revised');
  await expect.poll(() => change.locator('ins').textContent()).toBe('revisedAgain');
});

test('a rejected update is listed among the imports of its module, with its problems', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, goodPackage('refusedUpdate'));
  const update = namedPackage(stack, { moduleId, deploymentType: 'x' });
  await page.setInputFiles('input[type=file]', zipFile(update, 'update.zip'));
  await page.getByText('The package was rejected').waitFor();
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/imports`);
  const refused = page.locator('.history > li', { hasText: 'update.zip' });
  await refused.locator('summary').click();
  await expect
    .poll(() => refused.locator('.problems').textContent())
    .toMatch(/moduleSchema\.json.*deploymentType/);
  await expect.poll(() => page.locator('.history > li').count()).toBe(2);
});

test('a package can be imported with only the keyboard', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.getByRole('button', { name: 'Import Module ZIP' }).waitFor();
  // Before the keys: a file chooser that opens before the test waits for it is missed.
  const chosen = page.waitForEvent('filechooser');
  await tabTo(page, 'Import Module ZIP');
  await page.keyboard.press('Enter');
  await (await chosen).setFiles(zipFile(goodPackage('byKeyboard')));
  await page.getByText('The module was created.').waitFor();
  await tabTo(page, 'Open the module');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Descriptor' }).waitFor();
});

test('an app can be added and its key copied with only the keyboard', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await devResources(page, 'appByKeyboard');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await tabTo(page, 'Add App');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Keyboard app');
  await page.keyboard.press('Enter');
  const key = await page.getByRole('textbox', { name: 'API key' }).inputValue();
  await tabTo(page, 'Copy');
  await page.keyboard.press('Enter');
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
  await tabTo(page, 'I have saved the key');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'Keyboard app', exact: true }).waitFor();
});

test('a member who is not an administrator can read, and has nothing to change', async () => {
  const { page } = await openPage(browser);
  const moduleId = await importAsVendor(stack, goodPackage('readOnly'));
  await signIn(page, stack.app.url, 'Milo Member');
  await page.getByText('You are a member of this organization.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Import Module ZIP' }).count()).toBe(0);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/dev`);
  await page.getByRole('heading', { name: 'App Registrations' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Add App' }).count()).toBe(0);
});
