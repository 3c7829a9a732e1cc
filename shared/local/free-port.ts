import { once } from 'node:events';
import net from 'node:net';

/** The port that a server listens on. */
export function portOf(server: net.Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  await once(server.close(), 'close');
  return port;
}
