import { request, type IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

/** The proxy opened no connection. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
}

const CONNECTED = 200;

/**
 * Has an HTTP proxy open a connection (CONNECT, RFC 9110, section 9.3.6): to an address that was checked, not to a name that
 * the proxy would resolve again. @throws ProxyRefusedError
 */
export async function openTunnel(
  proxyUrl: string,
  { address, port }: { readonly address: string; readonly port: number },
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
    const refused = ({ statusCode, socket }: IncomingMessage) => {
      socket.destroy();
      reject(new ProxyRefusedError(`the proxy answered ${String(statusCode)}`));
    };
    connect.once('connect', (response: IncomingMessage, socket: Socket) => {
      if (response.statusCode === CONNECTED) resolve(socket);
      else refused(response);
    });
    // A proxy that refuses may answer as to any other method.
    connect.once('response', refused);
    connect.on('error', reject);
    connect.end();
  });
}
