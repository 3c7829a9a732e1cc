import { createECDH, createPublicKey, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decrypt } from 'http_ece';
import { jwtVerify } from 'jose';
import { listenAt } from './listen-at.ts';

/** A notification as a browser decrypts it, with what the push service received beside it. */
export interface ReceivedPush {
  readonly text: Readonly<Record<'title' | 'body' | 'url', string>>;
  readonly headers: IncomingHttpHeaders;
  /** Of the signed token. */
  readonly claims: { readonly aud?: unknown; readonly sub?: string; readonly exp?: number };
  /** With which the token was signed. */
  readonly publicKey: string;
}

/** A browser that is subscribed at the push service of a test. */
export interface BrowserOfTest {
  /** What `PushSubscription.toJSON()` of the browser returns. */
  readonly subscription: ReturnType<typeof sampleSubscription>;
  readonly received: readonly ReceivedPush[];
  /** The next answers to it; 201 after them. */
  readonly answers: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[];
  /** What the push service waits for before it confirms a message. */
  confirm: () => Promise<void>;
}

/** A push service of a test (RFC 8030), with its browsers (RFC 8291). */
export interface PushServiceOfTest {
  readonly origin: string;
  /** Calls, whatever their answer. */
  readonly calls: string[];
  subscribe(): BrowserOfTest;
  stop(): Promise<void>;
  /** Has a stopped one listen at its port again. */
  start(): Promise<void>;
}

/** The keys of a browser in RFC 8291, appendix A. */
export const SAMPLE_PUSH_KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** A subscription, as browsers make it. */
export function sampleSubscription(endpoint: string) {
  const { subscription } = newKeys();
  return { endpoint, expirationTime: null, keys: subscription };
}

function newKeys() {
  const pair = createECDH('prime256v1');
  const p256dh = pair.generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  return { pair, subscription: { p256dh, auth } };
}

interface Subscribed extends BrowserOfTest {
  readonly received: ReceivedPush[];
  readonly open: (body: Buffer) => string;
}

/** Starts a push service, which refuses what is not signed for it. */
export async function startPushService(): Promise<PushServiceOfTest> {
  const browsers = new Map<string, Subscribed>();
  const calls: string[] = [];
  const make = () =>
    createServer((request, response) => {
      void (async () => {
        const { url = '', headers } = request;
        calls.push(url);
        const browser = browsers.get(url);
        const { status, headers: answered = {} } = browser?.answers.shift() ?? { status: 201 };
        const body = await buffer(request);
        if (browser !== undefined && status === 201) {
          const signed = await verify(headers.authorization ?? '', service.origin);
          browser.received.push({ text: JSON.parse(browser.open(body)), headers, ...signed });
          await browser.confirm();
        }
        response.writeHead(browser === undefined ? 404 : status, answered).end();
      })().catch(() => response.writeHead(403).end());
    });
  let running = make();
  await listenAt(running, 0);
  const { port } = running.address() as AddressInfo;
  const service: PushServiceOfTest = {
    ...{ origin: `http://127.0.0.1:${port}`, calls },
    subscribe() {
      const path = `/${randomUUID()}`;
      const { pair, subscription } = newKeys();
      const browser: Subscribed = {
        subscription: { ...sampleSubscription(service.origin + path), keys: subscription },
        ...{ received: [], answers: [], confirm: () => Promise.resolve() },
        open: (body) => {
          const options = { version: 'aes128gcm', privateKey: pair, authSecret: subscription.auth } as const;
          return decrypt(body, options).toString();
        },
      };
      browsers.set(path, browser);
      return browser;
    },
    async stop() {
      running.closeAllConnections();
      await once(running.close(), 'close');
    },
    async start() {
      running = make();
      await listenAt(running, port);
    },
  };
  return service;
}

/** Checks a token as push services do (RFC 8292). */
async function verify(authorization: string, origin: string) {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const x = point.toString('base64url', 1, 33);
  const y = point.toString('base64url', 33);
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const { payload } = await jwtVerify(token, key, { audience: origin, algorithms: ['ES256'] });
  return { claims: payload, publicKey };
}
