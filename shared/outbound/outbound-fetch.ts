import { Resolver } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { codeOf } from '../process/error-code.ts';
import {
  AddressRefusedError,
  hostOf,
  mayCall,
  requireCallable,
  type OutboundPolicy,
} from './outbound-url.ts';
import { openTunnel, ProxyRefusedError } from './proxy-tunnel.ts';
import { isLoopbackAddress } from './public-address.ts';

/** How addresses are called that strangers choose. */
export interface OutboundOptions extends OutboundPolicy {
  /** Addresses of DNS servers; the system's where it is left out. */
  readonly dnsServers?: readonly string[];
  /** An HTTP proxy that opens connections (CONNECT); of loopback addresses it is not asked. */
  readonly proxyUrl?: string | null;
}

/** One call: what is sent, and what is accepted. */
export interface OutboundCall {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The largest body of an answer. */
  readonly maxBytes: number;
  /** From the first query for the name to the last byte. */
  readonly timeoutMs: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
}

/** An answer, whole. A redirect is an answer like any other: it is not followed. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** There was no answer within the limits. The message contains nothing of the answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** Whether the call was sent as a whole: it may have had its effect. */
  readonly isSent: boolean;

  constructor(message: string, isSent = false) {
    super(message);
    this.isSent = isSent;
  }
}

const MAX_HEADER_BYTES = 16_384;
const DNS_TRIES = 2;
const HTTPS_PORT = 443;

type Route = Pick<RequestOptions, 'agent' | 'lookup' | 'createConnection' | 'defaultPort'>;

/**
 * Calls addresses that strangers choose, without letting them reach what only this machine can (server-side request
 * forgery): https alone, and only addresses of the public internet. The name is resolved once, every address that it has
 * is checked, and the connection goes to one of these: a later answer of the name's server is never used. Each call has
 * a connection of its own and follows no redirect.
 */
export class OutboundFetch {
  readonly #options: OutboundOptions;

  constructor(options: OutboundOptions) {
    this.#options = options;
  }

  /** @throws AddressRefusedError where the address must not be called, NoAnswerError where it does not answer */
  async fetch(address: string, call: OutboundCall): Promise<OutboundAnswer> {
    const url = requireCallable(address, this.#options);
    const late = AbortSignal.timeout(call.timeoutMs);
    const signal = call.signal === undefined ? late : AbortSignal.any([late, call.signal]);
    let isSent = false;
    const noteSent = () => (isSent = true);
    try {
      return await send(url, await this.#routeTo(url, signal, call.timeoutMs), call, signal, noteSent);
    } catch (error) {
      if (error instanceof AddressRefusedError) throw error;
      if (error instanceof NoAnswerError) throw new NoAnswerError(error.message, isSent);
      if (error instanceof ProxyRefusedError) throw new NoAnswerError(`no answer: ${error.message}`);
      if (late.aborted) throw new NoAnswerError(`no answer within ${call.timeoutMs} ms`, isSent);
      if (signal.aborted) throw new NoAnswerError('the call was ended early', isSent);
      // The failure without the address, such as ECONNREFUSED.
      throw new NoAnswerError(`no answer: ${codeOf(error) ?? 'the connection failed'}`, isSent);
    }
  }

  /** How a connection is made: to a checked address, by itself or through the proxy. */
  async #routeTo(url: URL, signal: AbortSignal, timeoutMs: number): Promise<Route> {
    const { allowPrivate = false, proxyUrl = null } = this.#options;
    // No address is refused, and a name of a private network may be in the hosts file alone, or in a search domain.
    if (allowPrivate) return { agent: false };
    const addresses = await this.#resolve(hostOf(url), signal, timeoutMs);
    const [address] = addresses;
    if (proxyUrl === null || address === undefined || isLoopbackAddress(address))
      return { agent: false, lookup: lookupOf(addresses) };
    const port = url.port === '' ? HTTPS_PORT : Number(url.port);
    const socket = await openTunnel(proxyUrl, { address, port }, signal);
    const host = hostOf(url);
    // The certificate must be that of the name, as without a proxy; an address has no name to send (RFC 6066).
    const name = isIP(host) === 0 ? { servername: host } : {};
    // With `agent: false` there is an agent, which connects by itself; without one, the port of `http:` is the default.
    return { defaultPort: HTTPS_PORT, createConnection: () => connectTls({ socket, host, ...name }) };
  }

  /** The addresses of a host; of a name, by its own queries: `getaddrinfo` would occupy a thread of all file access. */
  async #resolve(host: string, signal: AbortSignal, timeoutMs: number): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    // requireCallable has allowed it. Its name has no server (RFC 6761, section 6.3).
    if (host === 'localhost') return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / DNS_TRIES), tries: DNS_TRIES });
    if (this.#options.dnsServers !== undefined) resolver.setServers(this.#options.dnsServers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const found = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      if (found.length === 0) throw new NoAnswerError('the name has no address');
      // One private address among public ones is an attack or an error, and it might be the one that is connected to.
      if (!found.every((each) => mayCall(each, this.#options)))
        throw new AddressRefusedError('the name has an address that is not on the public internet');
      return found;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}

async function send(
  url: URL,
  route: Route,
  { method = 'GET', headers = {}, body, maxBytes }: OutboundCall,
  signal: AbortSignal,
  onSent: () => void,
): Promise<OutboundAnswer> {
  const options: RequestOptions = {
    method,
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...route,
    headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
  };
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // The listener stays: an error after the answer would otherwise end the process.
      request.once('response', resolve).on('error', reject);
      // After 101, an upgrade that nobody asked for, the connection closes without an error.
      request
        .once('finish', onSent)
        .once('close', () => reject(new NoAnswerError('the connection was closed without an answer')));
      request.end(body);
    });
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await readAtMost(response, maxBytes),
    };
  } finally {
    request.destroy();
  }
}

/** Returns the checked addresses, whatever name the connection asks for. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: isAll }, callback) => {
    const [first] = all;
    if (isAll === true) callback(null, all);
    else callback(null, first?.address ?? '', first?.family);
  };
}

async function readAtMost(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new NoAnswerError(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
