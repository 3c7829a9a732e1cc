import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { listenAt } from './listen-at.ts';

/** A message as the server received it. */
export interface ReceivedMail {
  readonly to: string;
  /** The headers, each on one line, and the body. */
  readonly source: string;
}

/** A mail server of a test. */
export interface MailServerOfTest {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Answers of it to recipients, by address: a status such as 550. */
  readonly refused: Map<string, number>;
  /** What it waits for before it confirms a message. */
  confirm: () => Promise<void>;
  stop(): Promise<void>;
  /** Has a stopped one listen at its port again. */
  start(): Promise<void>;
}

/** Starts a mail server that keeps what it receives, and offers STARTTLS with a certificate that nobody vouches for. */
export async function startMailServer(): Promise<MailServerOfTest> {
  const mails: ReceivedMail[] = [];
  const refused = new Map<string, number>();
  // Its own listeners handle errors; without one more it would throw them again.
  const make = () =>
    new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH'],
      logger: false,
      onRcptTo({ address }, _session, next) {
        const responseCode = refused.get(address);
        if (responseCode === undefined) next();
        else next(Object.assign(new Error('refused'), { responseCode }));
      },
      onData(stream, { envelope }, next) {
        void text(stream).then(async (source) => {
          const [to = { address: '' }] = envelope.rcptTo;
          mails.push({ to: to.address, source: source.replaceAll(/\r\n[ \t]+/g, ' ') });
          await server.confirm();
          next();
        });
      },
    }).on('error', () => undefined);
  let running = make();
  await listenAt(running.server, 0);
  const { port } = running.server.address() as AddressInfo;
  const server: MailServerOfTest = {
    ...{ port, mails, refused },
    confirm: () => Promise.resolve(),
    stop: () => new Promise((resolve) => running.close(resolve)),
    async start() {
      running = make();
      await listenAt(running.server, port);
    },
  };
  return server;
}
