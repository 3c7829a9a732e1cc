import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, openPage, signIn } from './support/chromium.ts';
import { FARM_ID, startPortalStack } from './support/portal-stack.ts';
import type { PortalStack } from './support/portal-stack.ts';
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
async function farmerPage(path: string): Promise<Page> {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/${path}`);
  return page;
}

test('a farm is drawn from its geometry', async () => {
  await installOnFarm(stack, await importAsVendor(stack, namedPackage(stack, { scope: 'drawn' })));
  const page = await farmerPage('farms');
  const outline = page.getByRole('img', { name: 'Outline of Home farm' });
  await outline.waitFor();
  expect(await outline.locator('path').count()).toBe(4);
  expect(await outline.locator('circle').count()).toBe(1);
});

test('a module is installed with the selected data areas, and uninstalled', async () => {
  const translations = [{ languageId: stack.app.api.catalogue.englishId, moduleName: 'Chosen module' }];
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'chosen', translations }));
  const page = await farmerPage('market');
  await page.getByRole('button', { name: 'Install: Chosen module' }).click();
  await page.getByRole('dialog').getByLabel('Farm organization alerts').uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
  await page.getByRole('button', { name: 'Uninstall: Chosen module' }).waitFor();
  const installed = await callAs(stack, 'farmer-admin', `GET /${FARM_ID}/installations/${moduleId}`);
  const farmArea = stack.app.api.catalogue.entry('dataAreas', 'FarmOrganization')?.id;
  expect(installed['acceptedDataAreaIds']).toEqual([farmArea]);

  await page.getByRole('button', { name: 'Uninstall: Chosen module' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();
  await page.getByRole('button', { name: 'Install: Chosen module' }).waitFor();
});

test('a rule is created from the definition, disabled, and deleted', async () => {
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
  await card.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await card.waitFor({ state: 'detached' });
});

test('an alert that a module raises appears on the open page and can be acknowledged', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'alerting' }));
  await installOnFarm(stack, moduleId);
  const ruleId = await makeRule(stack, moduleId);
  const page = await farmerPage('alerts');
  await page.getByText('There are no alerts.').waitFor();
  await raiseAlert(stack, moduleId, await makeKey(stack, moduleId), ruleId);
  const alert = page.locator('.alert', { hasText: 'Hot field' });
  await alert.getByText('North field').waitFor();
  await alert.getByRole('button', { name: 'Acknowledge' }).click();
  await alert.getByText('acknowledged by farmer-admin').waitFor();
});
