import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIssuerApp, type IssuerApp } from '../support/issuer-app.ts';

let issuerApp: IssuerApp;

beforeAll(async () => {
  issuerApp = await startIssuerApp();
});

afterAll(() => issuerApp.stop());

/** A browser's cookies and the redirects that it follows by hand. */
class Browser {
  readonly cookies = new Map<string, string>();

  async get(address: string | URL): Promise<{ status: number; location: string; text: string }> {
    const Cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(address, { headers: { Cookie }, redirect: 'manual' });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (cookie.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: answer.status,
      location: answer.headers.get('location') ?? '',
      text: await answer.text(),
    };
  }

  /** Opens the page of a sign-in in a tab; returns the issuer's page of accounts. */
  async openTab(page = '/portal'): Promise<string> {
    const { location } = await this.get(new URL(`/portal/sign-in?page=${page}`, issuerApp.app.url));
    return location;
  }

  /** Chooses an account in a tab, and follows the issuer's redirect. */
  async finish(tab: string): Promise<{ status: number; location: string; text: string }> {
    const { location } = await this.get(`${tab}&account=operator`);
    return this.get(location);
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.get(new URL('/portal/session', issuerApp.app.url))).status === 200;
  }

  pending(): number {
    return [...this.cookies.keys()].filter((name) => name.startsWith('module_sign_in')).length;
  }
}

test.each([[[0, 1]], [[1, 0]]])(
  'two tabs of a browser sign in, each to its page, whichever is first: %j',
  async (order) => {
    const browser = new Browser();
    const pages = ['/portal/a', '/portal/b'];
    const tabs = [await browser.openTab(pages[0]), await browser.openTab(pages[1])];
    for (const index of order) {
      expect(await browser.finish(tabs[index] ?? '')).toMatchObject({ status: 303, location: pages[index] });
      expect(await browser.isSignedIn()).toBe(true);
    }
    expect(browser.pending()).toBe(0);
  },
);

test('a browser keeps few sign-ins that do not end, and the newest of them still work', async () => {
  const browser = new Browser();
  const tabs: string[] = [];
  for (let count = 0; count < 12; count += 1) tabs.push(await browser.openTab());
  expect(browser.pending()).toBe(5);
  const forgotten = await browser.finish(tabs[0] ?? '');
  expect([forgotten.status, forgotten.text]).toEqual([401, expect.stringContaining('took too long')]);
  expect((await browser.finish(tabs.at(-1) ?? '')).status).toBe(303);
  expect(await browser.isSignedIn()).toBe(true);
});

test('a sign-in ends once, and only in its browser', async () => {
  const browser = new Browser();
  const tab = await browser.openTab();
  const { location } = await browser.get(`${tab}&account=operator`);
  expect((await new Browser().get(location)).status).toBe(401);
  expect((await browser.get(location)).status).toBe(303);
  expect((await browser.get(location)).status).toBe(401);
});
