import type { Browser } from 'playwright-core';
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
  await page.getByRole('row', { name: /^Vera Vendor identity provider .*less than an hour ago/ }).waitFor();
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('For whom').fill('Fiona F.');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByText('Copy this link now').waitFor();
  await takeScreenshot(page, 'invitation-link');
  const link = await linkOf(page);
  expect(link.startsWith(`${stack.app.url}/portal/invitation#mmi_`)).toBe(true);
  await page.getByRole('button', { name: 'I have copied the link' }).click();
  await page.getByRole('row', { name: /^Fiona F\. invited member can read link valid until/ }).waitFor();

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
  await page
    .getByRole('row', { name: /^Fiona F\. farmer-admin member can read less than an hour ago/ })
    .waitFor();
  await page.getByRole('button', { name: 'Make administrator: Fiona F.' }).click();
  await page.getByRole('row', { name: /^Fiona F\. farmer-admin administrator/ }).waitFor();
  await takeScreenshot(page, 'members');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove: Fiona F.' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('row', { name: /^Fiona F\./ }).waitFor({ state: 'detached' });
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

const WORDS = {
  'en-GB': {
    pages: 'Members',
    menu: 'Menu',
    signOut: 'Sign out',
    language: 'Language',
    own: 'Fiona Farmer is an administrator, last seen less than an hour ago. identity provider',
    unseen: '9d2f5c1e is a member, not seen yet.',
    invited: /^Ida can become an administrator with a link until .*\. invited$/,
    revoke: 'Revoke',
    badge: 'identity provider',
  },
  'de-DE': {
    pages: 'Mitglieder',
    menu: 'Menü',
    signOut: 'Abmelden',
    language: 'Sprache',
    own: 'Fiona Farmer gehört zur Administration, zuletzt vor weniger als einer Stunde gesehen. Anmeldedienst',
    unseen: '9d2f5c1e ist Mitglied, noch nicht gesehen.',
    invited: /^Ida kann bis .* mit einem Link in die Administration kommen\. eingeladen$/,
    revoke: 'Widerrufen',
    badge: 'Anmeldedienst',
  },
} as const;
const LOCALES = ['en-GB', 'de-DE'] as const;

/** Members and an invitation of the farm, and its page of members. */
async function openMembers(locale: (typeof LOCALES)[number], width: number) {
  const role = 'OrganizationAdmin';
  await callAs(stack, 'farmer-admin', `POST /${FARM_ID}/invitations`, { role, name: 'Ida' });
  await callAs(stack, 'farmer-admin', `PUT /${FARM_ID}/members/9d2f5c1e`, { roles: ['OrganizationMember'] });
  const { page } = await openPage(browser, { locale, viewport: { width, height: 740 } });
  await signIn(page, stack.app.url, 'Fiona Farmer');
  await page.goto(`${stack.app.url}/portal/${FARM_ID}/members`);
  await page.getByText(WORDS[locale].badge, { exact: true }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await takeScreenshot(page, `members-${locale}-${width}`);
  return page;
}

test.each(LOCALES)(
  'a phone shows a sentence for each member and invitation, which is revoked by keyboard (%s)',
  async (locale) => {
    const { own, unseen, invited, revoke } = WORDS[locale];
    const page = await openMembers(locale, 360);
    const sentences = (await page.getByRole('listitem').locator('p').allInnerTexts()).map((text) =>
      text.trim(),
    );
    // Other tests add members too.
    expect(sentences).toEqual(expect.arrayContaining([expect.stringMatching(invited), own, unseen]));
    await tabTo(page, `${revoke}: Ida`);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, revoke);
    await page.keyboard.press('Enter');
    await page.getByText(invited).waitFor({ state: 'detached' });
  },
);

test.each(LOCALES)(
  'a wide page shows members and invitations in one table, with what their roles allow (%s)',
  async (locale) => {
    const { pages, revoke } = WORDS[locale];
    const page = await openMembers(locale, 1_280);
    const table = page.getByRole('region', { name: pages });
    for (const name of ['Ida', 'Fiona Farmer', '9d2f5c1e'])
      await expect.poll(() => table.getByRole('row', { name }).count(), { message: name }).toBe(1);
    await table.getByRole('row', { name: /Ida/ }).getByRole('button', { name: revoke }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, revoke);
    await page.keyboard.press('Enter');
    await table.getByRole('row', { name: /Ida/ }).waitFor({ state: 'detached' });
  },
);

test.each(LOCALES)(
  'a phone folds the pages into a menu, and language and sign-out below the name, for the keyboard too (%s)',
  async (locale) => {
    const { pages, menu, signOut, language } = WORDS[locale];
    const { page } = await openPage(browser, { locale, viewport: { width: 360, height: 740 } });
    await signIn(page, stack.app.url, 'Fiona Farmer');
    await page.locator('h1').waitFor();
    await expect.poll(() => page.getByRole('button', { name: signOut }).isVisible()).toBe(false);
    await tabTo(page, menu);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, `menu-${locale}`);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('navigation').isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await tabTo(page, pages);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: pages }).waitFor();
    await expect.poll(() => page.getByRole('navigation').isVisible()).toBe(false);
    await page.reload();
    await page.locator('h1').waitFor();
    await tabTo(page, 'Fiona Farmer');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: language }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `profile-${locale}`);
    await tabTo(page, signOut);
    await page.keyboard.press('Enter');
    await page.locator('.welcome').waitFor();
  },
);

test('a member who is no administrator does not see the page in the navigation', async () => {
  const { page } = await openPage(browser);
  await signIn(page, stack.app.url, 'Milo Member');
  await page.getByRole('heading', { name: 'My Modules' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Members' }).count()).toBe(0);
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
