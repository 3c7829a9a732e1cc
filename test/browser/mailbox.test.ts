import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, portOf } from '../../shared/local/free-port.ts';
import { startMailbox, type Mailbox } from '../../shared/local/mailbox.ts';
import { sendMail } from '../../worker/notifications/send-mail.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  launchChromium,
  openPage,
  takeScreenshot,
} from './support/chromium.ts';

let mailbox: Mailbox;
let browser: Browser;
/** What a hostile mail would have loaded. */
const loaded: string[] = [];
const elsewhere = createServer(({ url = '' }, response) => {
  loaded.push(url);
  response.end();
});

beforeAll(async () => {
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
  [mailbox, browser] = await Promise.all([startMailbox(await freePort()), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await mailbox.stop();
  elsewhere.close();
});

async function send(subject: string, html: string): Promise<void> {
  const { hostname: host, port } = new URL(mailbox.smtpUrl);
  const server = { host, port: Number(port), isSecure: false, credentials: null, from: 'a@example.com' };
  const mail = { to: 'fiona@example.com', subject, text: `In short: ${subject}`, html, id: 'a' };
  const sent = await sendMail(server, { ...mail, unsubscribe: 'http://127.0.0.1/' });
  expect(sent).toEqual({ result: 'sent' });
}

test.each([360, 1280])(
  'a mail is shown as it was written, and a hostile one does nothing, %i pixels wide',
  async (width) => {
    await send('Frost', '<p style="color: #a00">Two degrees in <b>Long acre</b>.</p>');
    const origin = `http://127.0.0.1:${portOf(elsewhere)}/`;
    await send(
      'Hostile',
      `<p>Bait</p><script>top.document.title = 'taken'</script><img src="${origin}a" onerror="top.document.title='taken'">
     <meta http-equiv="refresh" content="0;url=${origin}b"><form action="${origin}c"><button autofocus>Go</button></form>`,
    );
    const { page } = await openPage(browser, { viewport: { width, height: 740 } });
    const frame = (index: number) => page.locator('iframe').nth(index).contentFrame();
    await page.goto(mailbox.pageUrl);
    await frame(1).getByText('Long acre').waitFor();
    await frame(0).getByText('Bait').waitFor();
    await frame(0).getByRole('button', { name: 'Go' }).click();
    expect(await page.title()).toBe('Mails');
    await expectNoSidewaysScroll(page);
    await takeScreenshot(page, `mailbox-${width}`);
    await expectAccessible(page);
    expect(loaded).toEqual([]);
    await page.context().close();
  },
);
