import { setTimeout } from 'node:timers/promises';
import { PassThrough } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { Config } from '../../shared/config/config.ts';
import type { SentMessage } from './alert-messages.ts';
import type { MailText } from './mail-text.ts';

/** A mail to one person. */
export interface OutgoingMail extends MailText {
  readonly to: string;
  /** Unique: a mail server that gets it twice can notice that. */
  readonly id: string;
  /** A POST to it ends these mails (RFC 8058). */
  readonly unsubscribe: string;
}

export type MailServer = NonNullable<Config['mail']>;

const STEP_MS = 10_000;
const SILENCE_MS = 30_000;
/** A server that answers every now and then is waited for no longer. */
const SEND_MS = 120_000;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Sends a mail by SMTP, on a connection of its own. */
export async function sendMail(server: MailServer, mail: OutgoingMail): Promise<SentMessage> {
  const sending = new Sending(server);
  const late = setTimeout(SEND_MS, { result: 'unknown' } as const, { ref: false });
  return Promise.race([sending.send(mail), late]);
}

class Sending {
  readonly #server: MailServer;
  /** Whether the message is with the server as a whole: without its answer it may have taken it. */
  #isTransmitted = false;

  constructor(server: MailServer) {
    this.#server = server;
  }

  async send({ to, unsubscribe, id, ...content }: OutgoingMail): Promise<SentMessage> {
    const { from } = this.#server;
    const transport = this.#transport();
    try {
      await transport.sendMail({
        ...content,
        ...{ from, to, envelope: { from, to: [to] } },
        messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
        headers: {
          'Auto-Submitted': 'auto-generated',
          'List-Unsubscribe': `<${unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { result: 'sent' };
    } catch (error) {
      return this.#resultOf(error);
    }
  }

  #transport() {
    const { host, port, isSecure, credentials } = this.#server;
    const transport = createTransport({
      ...{ host, port, secure: isSecure },
      ...(credentials !== null && { auth: credentials, requireTLS: !isSecure && !LOOPBACK.has(host) }),
      // A relay on this machine offers STARTTLS with a certificate that nobody vouches for.
      ...(!isSecure && LOOPBACK.has(host) && { tls: { rejectUnauthorized: false } }),
      ...{ connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, dnsTimeout: STEP_MS },
      socketTimeout: SILENCE_MS,
    });
    transport.use('stream', (mail, next) => {
      mail.message.transform(() => new PassThrough({ flush: (done) => done(this.#noteTransmitted()) }));
      next();
    });
    return transport;
  }

  #noteTransmitted(): null {
    this.#isTransmitted = true;
    return null;
  }

  #resultOf(error: unknown): SentMessage {
    const { responseCode, command } = answerIn(error);
    if (responseCode === null && this.#isTransmitted) return { result: 'unknown' };
    const isOfAddress = command === 'RCPT TO' || command === 'DATA';
    if (responseCode === null || !isOfAddress) return { result: 'unreachable', error };
    return responseCode >= 500 ? { result: 'bounced', status: responseCode } : { result: 'deferred' };
  }
}

/** The server's answer to a command, in an error of the library. */
function answerIn(error: unknown): {
  readonly responseCode: number | null;
  readonly command: string | null;
} {
  if (!(error instanceof Error)) return { responseCode: null, command: null };
  return {
    responseCode:
      'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : null,
    command: 'command' in error && typeof error.command === 'string' ? error.command : null,
  };
}
