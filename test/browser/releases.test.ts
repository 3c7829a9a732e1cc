import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  tabTo,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, installOnFarm, makeKey, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const PHONE = { viewport: { width: 360, height: 740 } };

/** A package whose name says its version, in both languages of the portal. */
function versionPackage(version: string, members: object = {}): Buffer {
  const { catalogue } = stack.app.api;
  const moduleName = `Frost ${version}`;
  const languageIds = [catalogue.englishId, catalogue.entry('languages', 'de')?.id];
  const translations = languageIds.map((languageId) => ({ languageId, moduleName }));
  return namedPackage(stack, { translations, ...members });
}

/** The releases of a module, as the vendor's administrator sees them. */
async function openReleases(moduleId: string, options = {}): Promise<Page> {
  const { page } = await openPage(browser, options);
  await signIn(page, stack.app.url, 'Vera Vendor');
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/releases`);
  await page.locator('figure.chart').waitFor();
  return page;
}

async function openAsFarmer(): Promise<Page> {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  return page;
}

test('a module is imported staged, previewed by one farmer, released to a ring and everyone, rolled back and withdrawn', async () => {
  const scope = 'frostWalk';
  const moduleId = await importAsVendor(stack, versionPackage('one', { scope }));
  const vendor = await openReleases(moduleId);
  const farmer = await openAsFarmer();
  const farmerSees = async (version: string) => {
    await farmer.goto(`${stack.app.url}/portal/${FARM_ID}/market/${moduleId}`);
    await farmer.getByRole('heading', { name: `Frost ${version}`, exact: true }).waitFor();
  };
  const dialog = vendor.getByRole('dialog');
  const row = (revision: number) =>
    vendor.locator('tbody tr').filter({ has: vendor.locator(`td:first-child:text-is("${revision}")`) });
  const importVersion = async (version: string) => {
    await importAsVendor(stack, versionPackage(version, { scope, moduleId }));
    await vendor.reload();
  };
  const release = async (revision: number, audience: string) => {
    await row(revision).getByRole('button').click();
    await dialog.getByLabel('Who gets it').selectOption({ label: audience });
  };
  const submit = async () => {
    await dialog.getByRole('button', { name: 'Release' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  await vendor.getByLabel('Stage every import').check();
  await expect
    .poll(
      async () =>
        (await callAs(stack, 'vendor-admin', `GET /${VENDOR_ID}/modules/${moduleId}/releases`))[
          'releasePolicy'
        ],
    )
    .toBe('manual');
  await importVersion('two');
  await row(2).getByText('staged').waitFor();
  await farmerSees('one');

  await release(2, 'A preview, by named organizations only');
  await dialog.getByLabel('IDs of organizations').fill(FARM_ID);
  await takeScreenshot(vendor, 'releases-preview-dialog');
  await submit();
  await row(2).getByText('preview').waitFor();
  await farmerSees('two');
  await farmer.getByText('Preview: the vendor shows revision 2 to your farm before its release.').waitFor();

  await release(2, 'A ring, before everyone');
  await dialog.getByLabel('Share of all organizations').fill('20');
  await takeScreenshot(vendor, 'releases-ring-dialog');
  await submit();
  await vendor.getByText('Revision 2: 20 % of all organizations + 1 named organization').waitFor();
  await row(1).getByText('everyone else').waitFor();
  await takeScreenshot(vendor, 'releases-ring');
  await expectAccessible(vendor);

  await release(2, 'Everyone');
  await submit();
  await row(2).getByText('current').waitFor();
  await farmerSees('two');

  await importVersion('three');
  await release(3, 'Everyone');
  await submit();
  await row(3).getByText('current').waitFor();
  await farmerSees('three');

  await vendor.getByRole('button', { name: 'Roll back: 2' }).click();
  await dialog.getByRole('button', { name: 'Roll back' }).click();
  await dialog.waitFor({ state: 'detached' });
  await row(3).getByText('released before').waitFor();
  await farmerSees('two');

  await vendor.getByRole('button', { name: 'Withdraw' }).click();
  await dialog.getByLabel('Reason').fill('It is replaced in spring.');
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await vendor.getByText('Withdrawn: it cannot be installed. It is replaced in spring.').first().waitFor();
  await takeScreenshot(vendor, 'releases-withdrawn');
  await farmerSees('two');
  await farmer.getByText('It is replaced in spring.').waitFor();
  await expect.poll(() => farmer.getByRole('button', { name: /^Install/ }).count()).toBe(0);
});

test('a withdrawn module is offered again, and a deprecated one names its successor', async () => {
  const moduleId = await importAsVendor(stack, versionPackage('old', { scope: 'frostOld' }));
  await importAsVendor(stack, versionPackage('new', { scope: 'frostNew' }));
  await installOnFarm(stack, moduleId);
  await callAs(stack, 'vendor-admin', `POST /${VENDOR_ID}/modules/${moduleId}/withdraw`, {
    reason: 'Later.',
  });
  const farmer = await openAsFarmer();
  await farmer.goto(`${stack.app.url}/portal/${FARM_ID}/market/${moduleId}`);
  await farmer.getByText('cannot be installed any more: Later. Your farm keeps using it.').waitFor();
  const page = await openReleases(moduleId);
  await page.getByRole('button', { name: 'Offer again' }).click();
  await page.getByText('Farmers can install the module.').waitFor();
  await page.getByRole('button', { name: 'Deprecate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What farmers should do').fill('Use Frost new.');
  await dialog.getByLabel('Successor').selectOption({ label: 'Frost new' });
  await dialog.getByRole('button', { name: 'Deprecate' }).click();
  await page.getByText('Deprecated: Use Frost new.').waitFor();
  await farmer.reload();
  await farmer.getByRole('link', { name: /successor/i }).click();
  await farmer.getByRole('heading', { name: 'Frost new', exact: true }).waitFor();
  await page.getByRole('button', { name: 'End the deprecation' }).click();
  await page.getByText('Deprecated: Use Frost new.').waitFor({ state: 'detached' });
});

test.each(['en-GB', 'de-DE'])('a ring is released by keyboard at 360 px, in %s', async (locale) => {
  const scope = `frost${locale.slice(0, 2)}`;
  const moduleId = await importAsVendor(stack, versionPackage('one', { scope }));
  const policy = { releasePolicy: 'manual' };
  await callAs(stack, 'vendor-admin', `PATCH /${VENDOR_ID}/modules/${moduleId}`, policy);
  await importAsVendor(stack, versionPackage('two', { scope, moduleId }));
  const page = await openReleases(moduleId, { ...PHONE, locale });
  const isEnglish = locale === 'en-GB';
  const release = page.getByRole('button', { name: isEnglish ? 'Release: 2' : 'Freigeben: 2' });
  const { x = 0, width = 0 } = (await release.boundingBox()) ?? {};
  expect(x + width).toBeLessThan(PHONE.viewport.width);
  await tabTo(page, isEnglish ? 'Release: 2' : 'Freigeben: 2');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').focus();
  await page.keyboard.press('ArrowDown');
  await dialog.getByRole('spinbutton').waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `releases-dialog-${locale}`);
  await dialog.getByRole('spinbutton').focus();
  await page.keyboard.type('20');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Revision 2: 20 %').waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `releases-${locale}`);
});

test('a member who is not an administrator sees the releases, and has nothing to change', async () => {
  const moduleId = await importAsVendor(stack, versionPackage('one', { scope: 'frostMember' }));
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Milo Member');
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/releases`);
  await page.getByText('Farmers can install the module.').waitFor();
  await expect.poll(() => page.locator('main').getByRole('button').count()).toBe(0);
  await expect.poll(() => page.getByRole('checkbox').count()).toBe(0);
});

test('an operator puts a module into quarantine and lifts it; vendor and farmer see the reason, and the key is refused', async () => {
  const moduleId = await importAsVendor(stack, versionPackage('stopped', { scope: 'frostQuarantine' }));
  await installOnFarm(stack, moduleId);
  const key = await makeKey(stack, moduleId);
  const statusWithKey = async () =>
    (
      await stack.app.fetch(`/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`, {
        headers: { 'X-Api-Key': key },
      })
    ).status;
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  const section = page.getByRole('region', { name: 'Modules in quarantine' });
  await section.getByText('No module is in quarantine.').waitFor();
  await section.getByLabel('Find a module by name or ID').fill('frost stop');
  await page.keyboard.press('Enter');
  const found = page.getByRole('region', { name: 'Modules found' });
  await found.getByRole('row', { name: /^Frost stopped by/ }).waitFor();
  await takeScreenshot(page, 'find-module');
  await tabTo(page, 'Quarantine: Frost stopped');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('It calls another server.');
  await expectAccessible(page);
  await takeScreenshot(page, 'quarantine-dialog');
  await dialog.getByRole('button', { name: 'Quarantine' }).click();
  await found.getByRole('cell', { name: 'It calls another server.' }).waitFor();
  await found.getByRole('button', { name: 'Modules in quarantine' }).click();
  await section.getByRole('cell', { name: 'It calls another server.' }).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'quarantine');
  await expect.poll(statusWithKey).toBe(403);

  const vendor = await openReleases(moduleId);
  await vendor.getByText('An operator has stopped this module').waitFor();
  await takeScreenshot(vendor, 'releases-quarantine');
  const farmer = await openAsFarmer();
  await farmer.goto(`${stack.app.url}/portal/${FARM_ID}/market/${moduleId}`);
  await farmer.getByText('It calls another server.').waitFor();

  await section.getByRole('button', { name: 'Lift: Frost stopped' }).click();
  await dialog.getByRole('button', { name: 'Lift' }).click();
  await section.getByText('No module is in quarantine.').waitFor();
  await expect.poll(statusWithKey).toBe(200);
});

test('a staged revision is shown as farmers will read it, in each of its languages, before anybody else sees it', async () => {
  const moduleId = await importAsVendor(stack, versionPackage('listed', { scope: 'frostListed' }));
  const { catalogue } = stack.app.api;
  const translations = [
    ['en', 'Frost alarm', 'Wakes you before the frost.'],
    ['de', 'Frostwarnung', 'Weckt Sie vor dem Frost.'],
    ['es', 'Aviso de heladas', 'Le avisa antes de la helada.'],
  ].map(([key = '', moduleName, description]) => ({
    languageId: catalogue.entry('languages', key)?.id,
    ...{ moduleName, description },
  }));
  await callAs(stack, 'vendor-admin', `PATCH /${VENDOR_ID}/modules/${moduleId}`, { releasePolicy: 'manual' });
  await importAsVendor(stack, namedPackage(stack, { moduleId, scope: 'frostListed', translations }));
  for (const options of [PHONE, { viewport: { width: 1280, height: 900 } }]) {
    const page = await openReleases(moduleId, options);
    await page.getByRole('link', { name: 'View as a farmer: 2' }).click();
    await page.getByRole('heading', { name: 'Frost alarm' }).waitFor();
    await page.getByText('Wakes you before the frost.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Install' }).count()).toBe(0);
    await page.getByLabel("Farmer's language").selectOption('de');
    await page.getByRole('heading', { name: 'Frostwarnung' }).waitFor();
    await page.getByText('Weckt Sie vor dem Frost.').waitFor();
    // The words of the page are German too.
    await page.getByRole('heading', { name: 'Beschreibung' }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `listing-preview-${options.viewport.width}`);
    await page.getByLabel("Farmer's language").selectOption('es');
    await page.getByRole('heading', { name: 'Aviso de heladas' }).waitFor();
    await page.getByText('Le avisa antes de la helada.').waitFor();
    await page.getByRole('link', { name: 'Back to the releases' }).click();
    await page.locator('figure.chart').waitFor();
    await takeScreenshot(page, `releases-listing-${options.viewport.width}`);
    await page.context().close();
  }
  const farmer = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/availableModules/${moduleId}`);
  expect(farmer).toMatchObject({ revision: 1, name: 'Frost listed' });
});

test('the result of a staged import says that farmers do not see the revision, and leads to its preview', async () => {
  const scope = 'frostStaged';
  const moduleId = await importAsVendor(stack, versionPackage('before', { scope }));
  await callAs(stack, 'vendor-admin', `PATCH /${VENDOR_ID}/modules/${moduleId}`, { releasePolicy: 'manual' });
  const page = await openReleases(moduleId, PHONE);
  await page.getByText('Update this module').click();
  const buffer = versionPackage('after', { moduleId, scope });
  await page.setInputFiles('input[type=file]', { name: 'package.zip', mimeType: 'application/zip', buffer });
  await page.getByText('Revision 2 is staged: farmers do not see it yet.').waitFor();
  await takeScreenshot(page, 'import-staged-360');
  await page.getByRole('link', { name: 'View as a farmer', exact: true }).click();
  await page.getByRole('heading', { name: 'Frost after' }).waitFor();
});

test('a preview takes the revision of its address as one part of the addresses that it calls', async () => {
  const moduleId = await importAsVendor(stack, versionPackage('odd', { scope: 'frostOdd' }));
  const page = await openReleases(moduleId);
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/preview?revision=1%26x%3D2`);
  await page.getByRole('alert').getByText('revision must be').waitFor();
});
