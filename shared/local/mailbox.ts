import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Readable } from 'node:stream';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { escapeHtml } from '../package/text/html.ts';
import { listenFrom, portOf } from './free-port.ts';
import { page, type Answer } from './issuer-answers.ts';

const HOST = '127.0.0.1';
/** The address of the page where no other program has its port. */
export const MAILBOX_PORT = 8025;
/** The oldest mail goes when another arrives. */
export const MAX_MAILS = 50;
/** Of one mail: what the service sends is far below. */
export const MAX_MAIL_BYTES = 512 * 1024;
const MAX_CONNECTIONS = 20;

interface Mail {
  readonly at: Date;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail server for this machine only, which delivers nothing, and the page with what it received. */
export interface Mailbox {
  /** For `SMTP_URL`. */
  readonly smtpUrl: string;
  readonly pageUrl: string;
  stop(): Promise<void>;
}

/** Starts a mailbox; its page has this port, or the next free one. */
export async function startMailbox(port = MAILBOX_PORT): Promise<Mailbox> {
  const mails: Mail[] = [];
  const smtp = mailServer((mail) => {
    mails.unshift(mail);
    mails.length = Math.min(mails.length, MAX_MAILS);
  });
  await once(smtp.listen(0, HOST), 'listening');
  const pages = await listenFrom(pageServer(mails), port, HOST).catch(async (error: unknown) => {
    await close(smtp);
    throw error;
  });
  return {
    smtpUrl: `smtp://${HOST}:${portOf(smtp.server)}?from=alerts@example.com`,
    pageUrl: `http://${HOST}:${portOf(pages)}`,
    async stop() {
      pages.closeAllConnections();
      await Promise.all([close(smtp), close(pages)]);
    },
  };
}

const close = (server: Pick<Server | SMTPServer, 'close'>) =>
  new Promise<void>((resolve) => void server.close(() => resolve()));

function mailServer(receive: (mail: Mail) => void): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    maxClients: MAX_CONNECTIONS,
    size: MAX_MAIL_BYTES,
    onData(stream, { envelope }, next) {
      const to = envelope.rcptTo.map(({ address }) => address).join(', ');
      readMail(stream, to).then(
        (mail) => {
          receive(mail);
          next();
        },
        (error: unknown) => next(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  // A client that breaks off its connection.
  server.on('error', () => undefined);
  return server;
}

/** Reads a mail to its end. @throws Error that the client gets */
async function readMail(stream: Readable, to: string): Promise<Mail> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>)
    if ((bytes += chunk.length) <= MAX_MAIL_BYTES) chunks.push(chunk);
  if (bytes > MAX_MAIL_BYTES) throw Object.assign(new Error('The mail is too large.'), { responseCode: 552 });
  const { subject = '', text = '', html = '' } = await PostalMime.parse(Buffer.concat(chunks));
  return { at: new Date(), to, subject, text, html };
}

function pageServer(mails: readonly Mail[]): Server {
  return createServer(({ method = '', url = '', headers }, response) => {
    const isOwn = /^(?:127\.0\.0\.1|localhost):\d+$/.test(headers.host ?? '');
    const { status, headers: fields, body } = answerTo(isOwn && method === 'GET' && url === '/', mails);
    response.writeHead(status, fields).end(body);
  });
}

/** A page of another site could name this server as its own (DNS rebinding): it gets nothing. */
function answerTo(isKnown: boolean, mails: readonly Mail[]): Answer {
  if (!isKnown) return page(404, 'Not found', '<p>The mails are at the address that npm start prints.</p>');
  if (mails.length === 0)
    return page(200, 'Mails', '<p>No mail was sent since npm start. Reload this page to see new ones.</p>');
  return page(
    200,
    'Mails',
    `<p>The last ${MAX_MAILS} since npm start, newest first; they are delivered to nobody. Reload this page to see new ones.</p>
${mails.map(mailSection).join('\n')}`,
  );
}

/** Nothing of a mail runs, loads or leads anywhere: the frame has no rights, and the policy of the page holds in it too. */
function mailSection({ at, to, subject, text, html }: Mail, index: number): string {
  const title = escapeHtml(subject === '' ? '(no subject)' : subject);
  const frame = `<iframe sandbox="" title="HTML of mail ${index + 1}: ${title}" srcdoc="${escapeHtml(html)}"></iframe>`;
  return `<article>
<h2>${title}</h2>
<p>To ${escapeHtml(to)}, <time datetime="${at.toISOString()}">${at.toISOString().slice(0, 19).replace('T', ' ')} UTC</time></p>
<pre tabindex="0" aria-label="Text of mail ${index + 1}">${escapeHtml(text)}</pre>
${html === '' ? '' : frame}
</article>`;
}
