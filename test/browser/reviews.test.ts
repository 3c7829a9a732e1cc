import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack(), launchChromium()]);
});

beforeEach(() => stack.app.api.database('reviews').delete());

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };

async function openAs(account: string, path: string, locale = 'en-GB', { app } = stack): Promise<Page> {
  const { page } = await openPage(browser, { locale });
  await signIn(page, app.url, account);
  await page.goto(`${app.url}/portal/${path}`);
  return page;
}

/** Looks at the page as it is at 1280 and at 360 pixels. */
async function lookAt(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await takeScreenshot(page, `${name}-${size}`);
  }
  await page.setViewportSize(SIZES.desktop);
}

const reportPath = (moduleId: string) => `POST /${FARM_ID}/availableModules/${moduleId}/reports`;

test('a farmer reports a module, an operator decides, and the vendor reads the reason and answers', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'reported' }));
  const farmer = await openAs('Fiona Farmer', `${FARM_ID}/market/${moduleId}`);
  const otherTab = await farmer.context().newPage();
  await otherTab.goto(farmer.url());
  const report = async (page: Page) => {
    await page.getByRole('button', { name: 'Report this module' }).click();
    const dialog = page.getByRole('dialog', { name: 'Report Soil moisture' });
    await dialog.getByLabel('What is wrong?').selectOption('It is not safe');
    await dialog.getByLabel('What happened?').fill('It sends what we type to another server.');
    return dialog;
  };
  const ofOtherTab = await report(otherTab);
  const dialog = await report(farmer);
  await lookAt(farmer, 'report-dialog');
  await dialog.getByRole('button', { name: 'Send report' }).click();
  const sent = farmer.getByRole('dialog', { name: 'The report was sent' });
  await sent.getByRole('button', { name: 'Close' }).click();
  await farmer.getByText('The operator has not decided yet.').waitFor();
  // The button that had the focus is gone.
  await farmer.locator('h1:focus', { hasText: 'Soil moisture' }).waitFor();
  await expect.poll(() => farmer.getByRole('button', { name: 'Report this module' }).count()).toBe(0);
  await lookAt(farmer, 'report-waits');
  await ofOtherTab.getByRole('button', { name: 'Send report' }).click();
  await otherTab.getByRole('alert').getByText('has not decided yet about the last report').waitFor();

  const operator = await openAs('Otto Operator', 'operations');
  const reports = operator.getByRole('region', { name: 'Reviews of modules' });
  await reports.getByRole('heading', { name: 'Reviews of modules 1' }).waitFor();
  await reports.getByText('It sends what we type to another server.').waitFor();
  await lookAt(operator, 'operations-reports');
  await reports.getByRole('button', { name: 'Decide: Soil moisture' }).click();
  const decision = operator.getByRole('dialog', { name: 'Decide about the report of Soil moisture' });
  await decision.getByLabel('Reason').fill('The application calls another server.');
  await decision.getByRole('button', { name: 'Decide', exact: true }).click();
  await reports.getByText('Nothing waits for a decision.').waitFor();
  await farmer.reload();
  await farmer
    .getByText('Your farm’s last report was upheld. The application calls another server.')
    .waitFor();
  await farmer.getByRole('button', { name: 'Report this module' }).waitFor();
  await lookAt(farmer, 'report-decided');

  const vendor = await openAs('Vera Vendor', `${VENDOR_ID}/modules/${moduleId}`);
  const decisions = vendor.getByRole('list', { name: 'Decisions of the operator' });
  await decisions.getByText('The application calls another server.').waitFor();
  await expect.poll(() => vendor.locator('body').textContent()).not.toContain('what we type');
  await decisions.getByRole('button', { name: 'Answer' }).click();
  const answer = vendor.getByRole('dialog', { name: 'Answer the decision' });
  await answer.getByLabel('Your answer').fill('Revision 2 calls only ours.');
  await answer.getByRole('button', { name: 'Answer', exact: true }).click();
  await decisions.getByText('Revision 2 calls only ours.').waitFor();
  await expect.poll(() => decisions.getByRole('button', { name: 'Answer' }).count()).toBe(0);
  await lookAt(vendor, 'module-decisions');

  await reports.getByLabel('Decided').check();
  await reports.getByText('Revision 2 calls only ours.').waitFor();
  await lookAt(operator, 'operations-decided');
});

test('an operator puts a reported module into quarantine from its report', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'stopped' }));
  await callAs(stack, 'farmer-admin', reportPath(moduleId), { reason: 'security', text: 'It mines coins.' });
  const page = await openAs('Otto Operator', 'operations');
  await page.getByText('No module is in quarantine.').waitFor();
  const report = page.getByRole('row', { name: /It mines coins\./ });
  await report.getByRole('button', { name: 'Quarantine: Soil moisture' }).click();
  const dialog = page.getByRole('dialog', { name: 'Quarantine Soil moisture?' });
  await dialog.getByLabel('Reason').fill('Malware');
  await dialog.getByRole('button', { name: 'Quarantine', exact: true }).click();
  const quarantined = page.getByRole('region', { name: 'Modules in quarantine' });
  await quarantined.getByRole('row', { name: /Malware/ }).waitFor();
  await lookAt(page, 'operations-quarantined');
});

test('a first release waits for an operator, and the vendor sees both that and the decision', async () => {
  const reviewing = await startPortalStack({ settings: { REVIEW_FIRST_RELEASES: 'true' } });
  const moduleId = await importAsVendor(reviewing, namedPackage(reviewing, { scope: 'first' }));
  const vendor = await openAs('Vera Vendor', `${VENDOR_ID}/modules/${moduleId}/releases`, 'en-GB', reviewing);
  await vendor
    .getByRole('button', { name: /^Release/ })
    .first()
    .click();
  await vendor.getByRole('dialog').getByLabel('Who gets it').selectOption('everyone');
  await vendor
    .getByRole('dialog')
    .getByRole('button', { name: /^Release/ })
    .click();
  const awaits = vendor.getByRole('dialog', { name: 'Revision 1 waits for the operator' });
  await awaits.getByText('The operator approves the first release of a module.').waitFor();
  await awaits.getByRole('button', { name: 'Close' }).click();
  await vendor.goto(`${reviewing.app.url}/portal/${VENDOR_ID}/modules/${moduleId}`);
  const decisions = vendor.getByRole('list', { name: 'Decisions of the operator' });
  await decisions.getByText('An operator has to approve the first release').waitFor();
  const operator = await openAs('Otto Operator', 'operations', 'en-GB', reviewing);
  await operator.getByText('First release of a vendor that is not verified').waitFor();
  await lookAt(operator, 'operations-first-release');
  await operator.getByRole('button', { name: 'Decide: Soil moisture' }).click();
  const decision = operator.getByRole('dialog', { name: 'Decide about the first release of Soil moisture' });
  await decision.getByLabel('Reason').fill('It does what it says.');
  await decision.getByRole('button', { name: 'Decide', exact: true }).click();
  await operator.getByText('Nothing waits for a decision.').waitFor();
  await vendor.reload();
  await decisions.getByText('approved', { exact: true }).waitFor();
  await lookAt(vendor, 'module-first-release');
  await reviewing.stop();
});

test('the queue of first releases, the decision and its reason, also at the next release, are in German for a German browser', async () => {
  const reviewing = await startPortalStack({ settings: { REVIEW_FIRST_RELEASES: 'true' } });
  const moduleId = await importAsVendor(reviewing, namedPackage(reviewing, { scope: 'erstes' }));
  const modulePage = `${VENDOR_ID}/modules/${moduleId}`;
  const vendor = await openAs('Vera Vendor', `${modulePage}/releases`, 'de-DE', reviewing);
  await vendor.setViewportSize(SIZES.phone);
  const askForRelease = async () => {
    await vendor.getByRole('button', { name: 'Freigeben: 1' }).click();
    const release = vendor.getByRole('dialog');
    await release.getByLabel('Wer sie bekommt').selectOption('Alle');
    await release.getByRole('button', { name: 'Freigeben' }).click();
  };
  await askForRelease();
  await vendor.getByRole('dialog', { name: 'Revision 1 wartet auf den Betreiber' }).waitFor();
  await lookAt(vendor, 'release-awaits-review-german');
  const operator = await openAs('Otto Operator', 'operations', 'de-DE', reviewing);
  await operator.setViewportSize(SIZES.phone);
  await operator.getByText('Erste Freigabe eines nicht geprüften Anbieters').waitFor();
  await lookAt(operator, 'operations-first-release-german');
  await operator.setViewportSize(SIZES.phone);
  await operator.getByRole('button', { name: /^Entscheiden: Soil moisture/ }).click();
  const decision = operator.getByRole('dialog', {
    name: 'Über die erste Freigabe von Soil moisture entscheiden',
  });
  await decision.getByLabel('Entscheidung').selectOption('Das Modul darf nicht freigegeben werden');
  await decision.getByLabel('Grund').fill('Die Seite ist leer.');
  await lookAt(operator, 'first-release-dialog-german');
  await decision.getByRole('button', { name: 'Entscheiden' }).click();
  await operator.getByText('Nichts wartet auf eine Entscheidung.').waitFor();
  await vendor.goto(`${reviewing.app.url}/portal/${modulePage}`);
  const decisions = vendor.getByRole('list', { name: 'Entscheidungen des Betreibers' });
  await decisions.getByText('abgelehnt', { exact: true }).waitFor();
  await decisions.getByText('Die Seite ist leer.').waitFor();
  await lookAt(vendor, 'module-first-release-german');
  await vendor.goto(`${reviewing.app.url}/portal/${modulePage}/releases`);
  await askForRelease();
  const declined = vendor.getByRole('dialog', { name: 'Der Betreiber hat Revision 1 abgelehnt' });
  await declined.getByText('Die Seite ist leer.').waitFor();
  await lookAt(vendor, 'release-declined-german');
  await reviewing.stop();
});

test('reports, decisions and answers are in German for a German browser', async () => {
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope: 'gemeldet' }));
  const farmer = await openAs('Fiona Farmer', `${FARM_ID}/market/${moduleId}`, 'de-DE');
  await farmer.getByRole('button', { name: 'Dieses Modul melden' }).click();
  const report = farmer.getByRole('dialog', { name: 'Bodenfeuchte melden' });
  await report.getByLabel('Was stimmt nicht?').selectOption('Es funktioniert nicht');
  await report.getByLabel('Was ist passiert?').fill('Die Seite ist leer.');
  await lookAt(farmer, 'report-dialog-german');
  await report.getByRole('button', { name: 'Meldung senden' }).click();
  await farmer.getByRole('button', { name: 'Schließen' }).click();
  await farmer.getByText('Der Betreiber hat noch nicht entschieden.').waitFor();
  const operator = await openAs('Otto Operator', 'operations', 'de-DE');
  const row = operator.getByRole('row', { name: /Die Seite ist leer\./ });
  await row.getByRole('button', { name: /^Entscheiden/ }).click();
  const decision = operator.getByRole('dialog');
  await decision.getByLabel('Entscheidung').selectOption('Die Meldung wird zurückgewiesen');
  await decision.getByLabel('Grund').fill('Die Seite lädt.');
  await decision.getByRole('button', { name: 'Entscheiden' }).click();
  await row.waitFor({ state: 'detached' });
  await lookAt(operator, 'operations-german');
  await farmer.reload();
  await farmer.getByText('Die letzte Meldung Ihres Betriebs wurde zurückgewiesen. Die Seite lädt.').waitFor();
  await lookAt(farmer, 'report-decided-german');
  const vendor = await openAs('Vera Vendor', `${VENDOR_ID}/modules/${moduleId}`, 'de-DE');
  const decisions = vendor.getByRole('list', { name: 'Entscheidungen des Betreibers' });
  await decisions.getByText('zurückgewiesen').waitFor();
  await decisions.getByText('Die Seite lädt.').waitFor();
  await lookAt(vendor, 'module-decisions-german');
});
