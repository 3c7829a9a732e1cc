import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { putOrganizationGroups } from '../../shared/db/access/organization-groups.ts';
import { putOrganization } from '../../shared/db/access/organizations.ts';
import { launchChromium, openPage } from '../browser/support/chromium.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { freePort } from '../../shared/local/free-port.ts';
import type { IdentityProvider, Person, ProviderRequest } from './identity-provider.ts';

const AUDIENCE = 'https://modules.example';
const ORGANIZATION = randomUUID();
const GROUP = 'soil-works-administrators';

let app: TestApp;
let provider: IdentityProvider;
let browser: Browser;

/** Fills the form of the provider, and consents if it asks. */
async function logIn(page: Page, person: Person): Promise<void> {
  const { name, password, logIn: button, consent } = provider.pages;
  await page.locator(name).fill(person);
  await page.locator(password).fill(person);
  await page.locator(button).click();
  if (consent !== null) await page.locator(consent).click();
  await page.locator('.person').waitFor();
}

/** A page of a person who has just signed in, by clicking. */
async function signedIn(person: Person): Promise<Page> {
  const { page } = await openPage(browser);
  await page.goto(`${app.url}/portal`);
  await page.locator('.welcome [role=button]').click();
  await logIn(page, person);
  return page;
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  if (provider.pages.signOut !== null) await page.locator(provider.pages.signOut).click();
  await page.waitForURL(`${app.url}/portal`);
  await page.locator('.welcome').waitFor();
}

async function statusWith(token: string): Promise<number> {
  const answer = await fetch(`${app.url}/api/v8.0/CommonData`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return answer.status;
}

/** The steps that every provider is tried with. */
export function testProvider(start: (request: ProviderRequest) => Promise<IdentityProvider>): void {
  beforeAll(async () => {
    const port = await freePort();
    const serviceUrl = `http://127.0.0.1:${port}`;
    const organizationId = ORGANIZATION;
    provider = await start({ serviceUrl, audience: AUDIENCE, organizationId, group: GROUP });
    app = await startTestApp({
      worker: false,
      settings: {
        PORT: String(port),
        AUTH_ISSUER: provider.issuer,
        AUTH_AUDIENCE: AUDIENCE,
        ...provider.settings,
      },
    });
    const vendor = { id: ORGANIZATION, tenantId: randomUUID(), kind: 'vendor', name: 'Soil Works' } as const;
    await putOrganization(app.api.database, vendor, FIXTURE_ACTOR);
    const key = { organizationId, issuer: provider.issuer };
    const groups = [{ group: GROUP, role: 'OrganizationAdmin' }] as const;
    await putOrganizationGroups(app.api.database, key, groups, { ...FIXTURE_ACTOR, max: 1 });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await app.stop();
    await provider.stop();
  });

  test('a vendor signs in, sees the organization of the token, and is no operator', async () => {
    const page = await signedIn('vera');
    await page.getByRole('heading', { name: 'My Modules' }).waitFor();
    await page.goto(`${app.url}/queues/`);
    await page.getByText('The queue dashboard is for operators.').waitFor();
  });

  test('a person gets the role that an operator has mapped a group of the provider to', async () => {
    const page = await signedIn('greta');
    await page.getByRole('heading', { name: 'My Modules' }).waitFor();
    const session = await page.evaluate("fetch('/portal/session').then((it) => it.json())");
    expect(session).toMatchObject({ organizations: [{ id: ORGANIZATION, isAdmin: true }] });
  });

  test('an operator, by a claim, opens the operations and the dashboard', async () => {
    const page = await signedIn('otto');
    await page.goto(`${app.url}/portal/operations`);
    await page.locator('.figures').waitFor();
    await page.goto(`${app.url}/queues/`);
    await page.getByText('Module imports').first().waitFor();
  });

  test('a session outlives its access tokens: each is refreshed with a new refresh token', async () => {
    const { database } = app.api;
    const page = await signedIn('vera');
    const sessionId = await page.evaluate<string>(
      "fetch('/portal/session').then((it) => it.json()).then(({ id }) => id)",
    );
    const seen = new Set<string>();
    const startedMs = performance.now();
    // The service accepts an expired token for 30 seconds, because clocks differ.
    const outlivedMs = (provider.accessTokenSeconds + 35) * 1_000;
    const hasOutlived = async () => {
      expect(await page.evaluate("fetch('/portal/api/sessions').then(({ ok }) => ok)")).toBe(true);
      const row = await database('sessions').where({ id: sessionId }).first('sealedRefreshToken');
      seen.add((row as { sealedRefreshToken: Buffer }).sealedRefreshToken.toString('base64'));
      return performance.now() - startedMs > outlivedMs && seen.size > 1;
    };
    await expect.poll(hasOutlived, { timeout: 2 * outlivedMs, interval: 500 }).toBe(true);
  });

  test('a sign-out ends the session at the provider too: the next sign-in asks for the password', async () => {
    const page = await signedIn('vera');
    await signOut(page);
    await page.locator('.welcome [role=button]').click();
    await page.locator(provider.pages.password).waitFor();
    // Also for people who go straight to the provider, without this service.
    const cookies = await page.context().cookies();
    await page.context().clearCookies({ name: 'module_signed_out' });
    expect(cookies.map(({ name }) => name)).not.toContain('module_session');
    await page.goto(`${app.url}/portal/sign-in`);
    await page.locator(provider.pages.password).waitFor();
  });

  test('the end of a session at the provider ends it here, by back-channel logout', async () => {
    const page = await signedIn('vera');
    await provider.endSessions('vera', page);
    const read = () => page.evaluate<unknown>("fetch('/portal/session').then((it) => it.json())");
    await expect.poll(read).toBe(null);
  });

  test("a program's token is accepted for this audience only, and only as a JWT", async () => {
    const [own, other, opaque] = [
      await provider.programToken('service'),
      await provider.programToken('other audience'),
      await provider.programToken('opaque'),
    ];
    expect(await statusWith(own ?? '')).toBe(200);
    expect(await statusWith(other ?? '')).toBe(401);
    if (opaque !== null) expect(await statusWith(opaque)).toBe(401);
  });

  test('after a rotation of the signing keys, tokens and sign-ins with the new key are accepted', async () => {
    expect(await statusWith((await provider.programToken('service')) ?? '')).toBe(200);
    await provider.rotateKeys();
    const token = (await provider.programToken('service')) ?? '';
    await expect.poll(() => statusWith(token)).toBe(200);
    // Unknown keys are looked for every five seconds at most, and the provider sends a logout token once.
    await sleep(5_000);
  });
}
