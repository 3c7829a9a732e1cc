import { request, type IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

/** The proxy opened no connection. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
}

/** Where a connection leads: to an address that was checked, not to a name that the proxy would resolve again. */
export interface TunnelTarget {
  readonly address: string;
  readonly port: number;
}

const CONNECTED = 200;

/** Has an HTTP proxy open a connection (CONNECT, RFC 9110, section 9.3.6). @throws ProxyRefusedError */
export async function openTunnel(
  proxyUrl: string,
  { address, port }: TunnelTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const { hostname, port: proxyPort, username, password } = new URL(proxyUrl);
  const target = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  const credential = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const connect = request({
    method: 'CONNECT',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: proxyPort === '' ? 80 : Number(proxyPort),
    path: target,
    agent: false,
    signal,
    headers: {
      Host: target,
      ...(username !== '' && { 'Proxy-Authorization': `Basic ${credential.toString('base64')}` }),
    },
  });
  return new Promise((resolve, reject) => {
    connect.once('connect', ({ statusCode }: IncomingMessage, socket: Socket) => {
      if (statusCode === CONNECTED) resolve(socket);
      else {
        socket.destroy();
        reject(new ProxyRefusedError(`the proxy answered ${String(statusCode)}`));
      }
    });
    // A proxy that refuses may answer as to any other method.
    connect.once('response', (response) => {
      response.destroy();
      reject(new ProxyRefusedError(`the proxy answered ${String(response.statusCode)}`));
    });
    connect.on('error', reject);
    connect.end();
  });
}
