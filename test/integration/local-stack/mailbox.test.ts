import net from 'node:net';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { freePort, portOf } from '../../../shared/local/free-port.ts';
import { MAX_MAIL_BYTES, MAX_MAILS, startMailbox, type Mailbox } from '../../../shared/local/mailbox.ts';
import { sendMail, type OutgoingMail } from '../../../worker/notifications/send-mail.ts';

const started: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.stop()));
});

async function mailbox(port?: number): Promise<Mailbox> {
  const box = await startMailbox(port ?? (await freePort()));
  started.push(box);
  return box;
}

/** Sends a mail as the worker does. */
async function send({ smtpUrl }: Mailbox, members: Partial<OutgoingMail>) {
  const { hostname, port, searchParams } = new URL(smtpUrl);
  const server = { host: hostname, port: Number(port), isSecure: false, credentials: null };
  return sendMail(
    { ...server, from: searchParams.get('from') ?? '' },
    {
      ...{ to: 'fiona@example.com', subject: 'Frost', text: 'Two degrees.', html: '', id: 'a' },
      ...{ unsubscribe: 'http://127.0.0.1/', ...members },
    },
  );
}

async function pageOf({ pageUrl }: Mailbox): Promise<string> {
  const answer = await fetch(pageUrl);
  expect(answer.status).toBe(200);
  return answer.text();
}

test('mails are shown with subject, recipient and text, the newest first', async () => {
  const box = await mailbox();
  expect(await pageOf(box)).toContain('No mail was sent');
  for (const subject of ['First “Frost”', 'Zweite Dürre'])
    expect(await send(box, { subject })).toEqual({ result: 'sent' });
  const page = await pageOf(box);
  expect(page).toMatch(/Zweite Dürre[^]*First “Frost”/);
  expect(page).toContain('To fiona@example.com');
  expect(page).toContain('Two degrees.');
});

test('nothing of a hostile mail runs or loads: it is escaped, in a frame without rights, under a policy without sources', async () => {
  const box = await mailbox();
  const attack = `"><script>alert(1)</script></iframe><img src=x onerror=alert(1)>'`;
  await send(box, { subject: attack, text: attack, html: `<p>${attack}</p>` });
  const { headers } = await fetch(box.pageUrl);
  const page = await pageOf(box);
  expect(page).not.toMatch(/<(?:script|img)/i);
  expect(page.match(/<iframe [^>]*>/g)).toHaveLength(1);
  expect(page).toMatch(/<iframe sandbox="" title="[^"]*" srcdoc="[^"]*"><\/iframe>/);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/script-src|img-src|frame-src|form-action \*/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('the last mails are kept, and one that is too large is refused', async () => {
  const box = await mailbox();
  for (let n = 0; n < MAX_MAILS + 3; n += 1) await send(box, { subject: `Mail ${n}` });
  const large = 'a'
    .repeat(70)
    .concat('\n')
    .repeat(MAX_MAIL_BYTES / 71 + 100);
  expect(await send(box, { subject: 'Large', text: large })).toEqual({ result: 'bounced', status: 552 });
  const subjects = [...(await pageOf(box)).matchAll(/<h2>(.*)<\/h2>/g)].map(([, subject]) => subject);
  expect(subjects).toHaveLength(MAX_MAILS);
  expect([subjects[0], subjects.at(-1)]).toEqual([`Mail ${MAX_MAILS + 2}`, 'Mail 3']);
});

test('a page that names this machine by another name gets no mails', async () => {
  const box = await mailbox();
  await send(box, { subject: 'Secret link' });
  const answerFor = async (host: string) => {
    const request = http.get(box.pageUrl, { headers: { Host: host } });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    return { status: response.statusCode, body: await text(response) };
  };
  const own = new URL(box.pageUrl).host;
  expect((await answerFor(own)).body).toContain('Secret link');
  const other = await answerFor(`attacker.example:${new URL(box.pageUrl).port}`);
  expect(other.status).toBe(404);
  expect(other.body).not.toContain('Secret link');
});

test('where another program has the port, the page has the next free one; two mailboxes run at once', async () => {
  const other = net.createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  started.push({ stop: () => once(other.close(), 'close') });
  const taken = portOf(other);
  const [first, second] = [await mailbox(taken), await mailbox(taken)];
  const ports = [first, second].map(({ pageUrl }) => Number(new URL(pageUrl).port));
  expect(ports.every((port) => port > taken)).toBe(true);
  expect(new Set(ports).size).toBe(2);
  await send(second, { subject: 'Of the second' });
  expect(await pageOf(second)).toContain('Of the second');
  expect(await pageOf(first)).not.toContain('Of the second');
});
