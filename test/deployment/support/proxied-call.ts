import https from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Proxy } from './start-proxy.ts';

/** A call through a proxy. */
export interface ProxiedCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | FormData | string;
  /** The address of this machine that the call comes from. */
  readonly localAddress?: string;
}

/** An answer that came through a proxy. */
export interface ProxiedAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls the service through a proxy and reads its answer. */
export async function callThrough(
  proxy: Proxy,
  path: string,
  { method = 'GET', headers = {}, body, localAddress }: ProxiedCall = {},
): Promise<ProxiedAnswer> {
  const encoded = new Response(body ?? null);
  const type = encoded.headers.get('content-type');
  const request = openThrough(proxy, path, {
    method,
    headers: { ...(type !== null && { 'Content-Type': type }), ...headers },
    ...(localAddress !== undefined && { localAddress }),
  });
  request.end(Buffer.from(await encoded.arrayBuffer()));
  const answer = await answerTo(request);
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return { status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() };
}

/** Starts a request through a proxy; its body is the caller's. */
export function openThrough(
  { url, agent }: Proxy,
  path: string,
  options: Omit<ProxiedCall, 'body'>,
): ClientRequest {
  const own =
    options.localAddress === undefined ? { agent } : { agent: false as const, ca: agent.options.ca };
  return https.request(new URL(path, url), { ...own, ...options });
}

/** The answer to a request, as soon as its headers are there. */
export async function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
}
