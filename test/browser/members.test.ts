import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  openVendorPage,
  signIn,
  takeScreenshot,
} from './support/chromium.ts';
import { DEMONSTRATION } from '../../shared/local/demonstration.ts';
import { FARM_ID, startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ worker: false }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const linkOf = async (page: Awaited<ReturnType<typeof openVendorPage>>) =>
  page.getByRole('textbox', { name: 'Link' }).inputValue();

test('an administrator invites a person, who signs in by the link and is a member; then the role changes, and ends', async () => {
  const page = await openVendorPage(browser, stack.app.url);
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByText('There are no members yet.').waitFor();
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('For whom').fill('Fiona F.');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByText('Copy this link now').waitFor();
  await takeScreenshot(page, 'invitation-link');
  const link = await linkOf(page);
  expect(link.startsWith(`${stack.app.url}/portal/invitation#mmi_`)).toBe(true);
  await page.getByRole('button', { name: 'I have copied the link' }).click();
  await page.getByRole('region', { name: 'Open invitations' }).getByText('Fiona F.').waitFor();

  const { page: guest, requested, complaints } = await openPage(browser);
  await guest.goto(link);
  await guest.locator('.welcome [role=button]').click();
  await guest.getByRole('link', { name: 'Fiona Farmer' }).click();
  await guest.getByRole('heading', { name: 'You are invited' }).waitFor();
  expect(new URL(guest.url()).hash, 'the secret is not in the address').toBe('');
  await expectAccessible(guest);
  await takeScreenshot(guest, 'invitation');
  await guest.getByRole('button', { name: 'Accept the invitation' }).click();
  await guest.getByRole('heading', { name: 'My Modules' }).waitFor();
  await guest.getByText('You are a member of this organization.').first().waitFor();
  expect(requested.filter((each) => each.replace(link, '').includes(link.slice(-20)))).toEqual([]);
  expect(complaints).toEqual([]);

  await page.reload();
  await page.getByRole('cell', { name: 'Fiona F.', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Make administrator: Fiona F.' }).click();
  await page.getByRole('cell', { name: 'administrator', exact: true }).waitFor();
  await takeScreenshot(page, 'members');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove: Fiona F.' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There are no members yet.').waitFor();
  await expect
    .poll(async () => {
      await guest.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules`);
      await guest.locator('h1').waitFor();
      return guest.getByText('Page not found.').count();
    })
    .toBe(1);
});

test('a used link says what to do, and a link without its secret too', async () => {
  const body = { role: 'OrganizationMember', name: null };
  const made = await callAs(stack, 'farmer-admin', `POST /${FARM_ID}/invitations`, body);
  await callAs(stack, 'vendor-member', 'POST /invitations/accept', { secret: made['secret'] });
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Otto Operator');
  await page.goto(String(made['link']));
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByText('Ask an administrator of the organization for a new one.').waitFor();
  const { page: other } = await openPage(browser);
  await signIn(other, stack.app.url, 'Otto Operator');
  await other.goto(`${stack.app.url}/portal/invitation`);
  await other.getByText('The link is not complete.').waitFor();
});

test('an invitation is revoked, in German and on a phone too', async () => {
  await callAs(stack, 'farmer-admin', `POST /${FARM_ID}/invitations`, {
    role: 'OrganizationAdmin',
    name: 'Ida',
  });
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/members/9d2f5c1e`, { roles: ['OrganizationMember'] });
  const { page } = await openPage(browser, { locale: 'de-DE', viewport: { width: 360, height: 740 } });
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/members`);
  await page.getByRole('cell', { name: 'Ida', exact: true }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, 'members-german-phone');
  await page.getByRole('button', { name: 'Widerrufen: Ida' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Widerrufen' }).click();
  await page.getByText('Es gibt keine offenen Einladungen.').waitFor();
});

test('a member who is no administrator does not see the page in the navigation', async () => {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Milo Member');
  await page.getByRole('heading', { name: 'My Modules' }).waitFor();
  expect(await page.getByRole('link', { name: 'Members' }).count()).toBe(0);
});

test('who has a role in an organization that was not created learns which one an operator must create', async () => {
  const { id } = DEMONSTRATION.southFarm;
  const { database } = stack.app.api;
  await database('audit_log').where({ organizationId: id }).delete();
  await database('organizations').where({ id }).delete();
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page
    .getByText(`organization ${id}, which does not exist here. Ask an operator to create it.`)
    .waitFor();
  await expectAccessible(page);
});
