import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { codeOf } from '../process/error-code.ts';

const MAX_PORT = 65_535;

/** The port that a server listens on. */
export function portOf(server: net.Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

/** Below the ports that systems give to outgoing connections, which would take a port before its server does. */
const FREE_PORTS = { from: 15_000, below: 32_000 };

/** Reserves a port that nothing listens on. */
export async function reserveFreePort(host: string): Promise<ReservedPort> {
  return reserveNextPort(randomInt(FREE_PORTS.from, FREE_PORTS.below), host);
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const { port, release } = await reserveFreePort('127.0.0.1');
  await release();
  return port;
}

/** A port that no other program gets before it is released. */
export interface ReservedPort {
  readonly port: number;
  release(): Promise<void>;
}

/** Listens on the first port from this one on that nothing listens on; 0 picks one. */
export async function listenFrom<Server extends net.Server>(
  server: Server,
  port: number,
  host: string,
): Promise<Server> {
  try {
    await once(server.listen(port, host), 'listening');
    return server;
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || port === MAX_PORT) throw error;
    return listenFrom(server, port + 1, host);
  }
}

/** Reserves the port itself, or one that 0 picks. @throws Error with the code `EADDRINUSE` where something listens on it */
export async function reservePort(port: number, host: string): Promise<ReservedPort> {
  const server = net.createServer().listen(port, host);
  await once(server, 'listening');
  return reservedBy(server);
}

function reservedBy(server: net.Server): ReservedPort {
  return {
    port: portOf(server),
    async release() {
      await once(server.close(), 'close');
    },
  };
}

/** Reserves the first port from this one on that nothing listens on. */
export async function reserveNextPort(port: number, host: string): Promise<ReservedPort> {
  return reservedBy(await listenFrom(net.createServer(), port, host));
}
