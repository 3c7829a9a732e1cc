import { once } from 'node:events';
import net from 'node:net';

const MAX_PORT = 65_535;

/** The port that a server listens on. */
export function portOf(server: net.Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  return tryPort(0, '127.0.0.1');
}

/** The port itself, or the one that 0 picks. @throws Error with the code `EADDRINUSE` where something listens on it */
export async function tryPort(port: number, host: string): Promise<number> {
  const server = net.createServer().listen(port, host);
  await once(server, 'listening');
  const found = portOf(server);
  await once(server.close(), 'close');
  return found;
}

/** The first port from this one on that nothing listens on. */
export async function nextFreePort(port: number, host: string): Promise<number> {
  return tryPort(port, host).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && port < MAX_PORT)
      return nextFreePort(port + 1, host);
    throw error;
  });
}
