import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { featureOf, geoJsonOf, squareRing } from '../support/field-files.ts';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { FARM_ID, startPortalStack, type PortalStack } from './support/portal-stack.ts';
import {
  callAs,
  importAsVendor,
  installOnFarm,
  makeKey,
  makeRule,
  namedPackage,
  raiseAlert,
} from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** A page of North Farm, with its administrator signed in. */
async function farmerPage(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { page } = await openPage(browser, options);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/${path}`);
  return page;
}

test('a farm is drawn from its geometry', async () => {
  await installOnFarm(stack, await importAsVendor(stack, namedPackage(stack, { scope: 'drawn' })));
  const page = await farmerPage('farms');
  const outline = page.getByRole('img', { name: 'Outline of Home farm' });
  await outline.waitFor();
  await expect.poll(() => outline.locator('path').count()).toBe(5);
  await expect.poll(() => outline.locator('.station').count()).toBe(1);
});

test('a module is installed with the selected data areas, and uninstalled', async () => {
  const translations = [{ languageId: stack.app.api.catalogue.englishId, moduleName: 'Chosen module' }];
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'chosen', translations }));
  const page = await farmerPage('market');
  await page.getByRole('button', { name: 'Install: Chosen module' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Farm organization alerts').uncheck();
  await expect.poll(() => dialog.getByRole('button', { name: 'Install' }).isDisabled()).toBe(true);
  await dialog.getByText('Terms (as of').click();
  await dialog.getByRole('heading', { name: 'Terms', exact: true }).waitFor();
  await dialog.getByLabel('I have read the terms and accept them').check();
  await dialog.getByRole('button', { name: 'Install' }).click();
  await page.getByRole('button', { name: 'Uninstall: Chosen module' }).waitFor();
  const installed = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/installations/${moduleId}`);
  const farmArea = stack.app.api.catalogue.entry('dataAreas', 'FarmOrganization')?.id;
  expect(installed['acceptedDataAreaIds']).toEqual([farmArea]);
  expect(installed['acceptedTerms']).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);

  await page.getByRole('button', { name: 'Uninstall: Chosen module' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();
  await page.getByRole('button', { name: 'Install: Chosen module', exact: true }).waitFor();
});

test('a rule is created from the definition, disabled, edited and deleted', async () => {
  const translations = [{ languageId: stack.app.api.catalogue.englishId, moduleName: 'Ruled module' }];
  await installOnFarm(
    stack,
    await importAsVendor(stack, namedPackage(stack, { scope: 'ruled', translations })),
  );
  const page = await farmerPage('rules');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page
    .getByRole('dialog')
    .getByLabel(/^Module/)
    .selectOption({ label: 'Ruled module' });
  await page.getByLabel('What to watch').selectOption({ label: 'Temperature' });
  await page.getByLabel('Operator').selectOption({ label: 'greater than' });
  await page.getByLabel(/^Value/).fill('28.5');
  await page.getByLabel('Rule name').fill('Heat');
  await page.getByRole('button', { name: 'Save rule' }).click();
  const card = page.locator('.card', { hasText: 'Heat' });
  await card.getByText('Temperature greater than 28.5 °C').waitFor();
  await card.getByRole('button', { name: 'Turn off' }).click();
  await card.getByRole('button', { name: 'Turn on' }).waitFor();
  await card.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => dialog.getByLabel(/^Value/).inputValue()).toBe('28.5');
  await dialog.getByLabel(/^Value/).fill('31');
  await dialog.getByLabel('Rule name').fill('Great heat');
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  const edited = page.locator('.card', { hasText: 'Great heat' });
  await edited.getByText('Temperature greater than 31 °C').waitFor();
  // As it was before.
  await edited.getByRole('button', { name: 'Turn on' }).waitFor();
  await edited.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await edited.waitFor({ state: 'detached' });
});

test('the date of a rule is the same day in every time zone', async () => {
  const rules = `schema: !!float 1.1
criterias:
  frost:
    displayName: { en: Frost }
    description: { en: Frost from a day on }
    parts:
      start: { field: date, title: { en: from } }
`;
  const files = { 'AlertRuleDefinitionFile/alert-rules.yaml': rules };
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'dated' }, files));
  await installOnFarm(stack, moduleId);
  const rule = { moduleId, criteria: 'frost', values: { start: '2026-05-01' } };
  await callAs(stack, 'farmer-admin', `POST /${FARM_ID}/alertRules`, rule);
  for (const timezoneId of ['America/Phoenix', 'Asia/Tokyo']) {
    const page = await farmerPage('rules', { timezoneId });
    await page.getByText(/^Frost from (May 1|1 May),? 2026$/).waitFor();
  }
});

test('turning a rule off keeps what another administrator changed in it since the page was opened', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'ruledByTwo' }));
  await installOnFarm(stack, moduleId);
  const path = `/${FARM_ID}/alertRules/${await makeRule(stack, moduleId)}`;
  const before = { criteria: 'temperature', values: { operator: 'gt', value: 30 }, name: 'Warmth of two' };
  await callAs(stack, 'farmer-admin', `PUT ${path}`, before);
  const page = await farmerPage('rules');
  const turnOff = page.locator('.card', { hasText: before.name }).getByRole('button', { name: 'Turn off' });
  await turnOff.waitFor();
  const edited = { ...before, values: { operator: 'lt', value: 5 }, name: 'Cold of two' };
  await callAs(stack, 'farmer-admin', `PUT ${path}`, edited);
  await turnOff.click();
  const card = page.locator('.card', { hasText: edited.name });
  await card.getByRole('button', { name: 'Turn on' }).waitFor();
  expect(await callAs(stack, 'farmer-admin', `GET ${path}`)).toMatchObject({ ...edited, enabled: false });
});

test('editing a rule keeps what another administrator changed in it since the page or the dialog was opened', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'editedByTwo' }));
  await installOnFarm(stack, moduleId);
  const path = `/${FARM_ID}/alertRules/${await makeRule(stack, moduleId)}`;
  const before = { criteria: 'temperature', values: { operator: 'gt', value: 30 }, name: 'Dryness of two' };
  await callAs(stack, 'farmer-admin', `PUT ${path}`, before);
  const page = await farmerPage('rules');
  const edit = page.locator('.card', { hasText: before.name }).getByRole('button', { name: 'Edit' });
  await edit.waitFor();
  const theirs = { ...before, values: { operator: 'lt', value: 5 } };
  await callAs(stack, 'farmer-admin', `PUT ${path}`, theirs);
  await edit.click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => dialog.getByLabel(/^Value/).inputValue()).toBe('5');
  await dialog.getByLabel('Rule name').fill('Wetness of two');
  const theirNext = { ...theirs, values: { operator: 'lt', value: 3 }, enabled: false };
  await callAs(stack, 'farmer-admin', `PUT ${path}`, theirNext);
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  const card = page.locator('.card', { hasText: 'Wetness of two' });
  await card.getByRole('button', { name: 'Turn on' }).waitFor();
  const renamed = { ...theirNext, name: 'Wetness of two' };
  expect(await callAs(stack, 'farmer-admin', `GET ${path}`)).toMatchObject(renamed);

  await card.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel(/^Value/).fill('4');
  await callAs(stack, 'farmer-admin', `PUT ${path}`, { ...renamed, name: 'Rain of two' });
  await dialog.getByRole('button', { name: 'Save rule' }).click();
  await page.locator('.card', { hasText: 'Rain of two' }).waitFor();
  const edited = { ...renamed, name: 'Rain of two', values: { operator: 'lt', value: 4 } };
  expect(await callAs(stack, 'farmer-admin', `GET ${path}`)).toMatchObject(edited);
});

test('an alert that a module raises appears on the open page and can be acknowledged', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'alerting' }));
  await installOnFarm(stack, moduleId);
  const ruleId = await makeRule(stack, moduleId);
  const page = await farmerPage('alerts');
  await page.getByText('No alerts are firing.').waitFor();
  await raiseAlert(stack, moduleId, await makeKey(stack, moduleId), ruleId);
  const alert = page.locator('.alert', { hasText: 'Hot field' });
  await alert.getByText('North field').waitFor();
  await alert.getByText('Raised by Soil moisture').waitFor();
  await alert.getByText('Temperature greater than 30 °C').waitFor();
  await alert.getByText('31.5 °C').waitFor();
  await alert.getByText('sensor').waitFor();
  await alert.getByRole('button', { name: 'Acknowledge' }).click();
  await alert.getByText('acknowledged by farmer-admin').waitFor();
});

test('a resolved alert needs no acknowledgement, and says that its rule was deleted', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'resolving' }));
  await installOnFarm(stack, moduleId);
  const ruleId = await makeRule(stack, moduleId);
  await raiseAlert(stack, moduleId, await makeKey(stack, moduleId), ruleId, { title: 'Cool again' });
  await callAs(stack, 'farmer-admin', `DELETE /${FARM_ID}/alertRules/${ruleId}`);
  const page = await farmerPage('alerts');
  await page.getByText('Resolved alerts').click();
  const alert = page.locator('.alert', { hasText: 'Cool again' });
  await alert.getByText('resolved', { exact: false }).waitFor();
  await alert.getByText('Rule deleted since').waitFor();
  await expect.poll(() => alert.getByRole('button').count()).toBe(0);
});

function geoJsonFile(text: string) {
  return { name: 'fields.geojson', mimeType: 'application/geo+json', buffer: Buffer.from(text) };
}

const square = (properties: object, west: number) => featureOf(properties, squareRing(west, 50, 0.01));

test('a farm is created, and its boundary and fields are uploaded from files', async () => {
  const page = await farmerPage('farms');
  const dialog = page.getByRole('dialog');
  const save = async () => {
    await dialog.getByRole('button', { name: /^Save/ }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await page.getByRole('button', { name: 'Add farm' }).click();
  await dialog.getByLabel('Name of the farm').fill('Hill farm');
  await dialog.getByLabel('File with areas').setInputFiles(geoJsonFile('no JSON'));
  await dialog.getByText('The file is not GeoJSON').waitFor();
  await dialog.getByLabel('File with areas').setInputFiles(geoJsonFile(geoJsonOf([square({}, 10)])));
  await dialog.getByText('1 area is accepted.').waitFor();
  await dialog.getByLabel('What the areas are').selectOption({ label: 'The boundary of the farm' });
  await dialog.getByText('part of the boundary').waitFor();
  await save();
  await page.getByRole('img', { name: 'Outline of Hill farm' }).waitFor();

  const upload = async (features: readonly object[]) => {
    await page.getByRole('button', { name: 'Upload fields: Hill farm' }).click();
    await dialog.getByLabel('File with areas').setInputFiles(geoJsonFile(geoJsonOf(features)));
  };
  await upload([square({ Name: 'Upper' }, 10), square({}, 10.02)]);
  await dialog.getByText('All 2 areas are accepted.').waitFor();
  await save();
  const card = page.locator('.card', { hasText: 'Hill farm' });
  await card.getByText('2 fields').waitFor();
  await card.getByRole('listitem').getByText('Field 2').waitFor();

  // Only the boundary of a known field is replaced.
  await upload([square({ Name: 'Upper' }, 10.04)]);
  await dialog.getByText('gets this boundary').waitFor();
  await save();
  await card.getByText('2 fields').waitFor();
});

test('a farm is not created with a file of which no area is accepted', async () => {
  const page = await farmerPage('farms');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add farm' }).click();
  await dialog.getByLabel('Name of the farm').fill('Far away');
  const file = geoJsonFile(geoJsonOf([square({}, 3_500_000)]));
  await dialog.getByLabel('File with areas').setInputFiles(file);
  await dialog.getByText('coordinates are not longitude and latitude').waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true);
});
