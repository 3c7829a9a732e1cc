import { once } from 'node:events';
import { createServer } from 'node:net';
import { portOf } from '../../shared/local/free-port.ts';

/** A port for a server whose address must be known before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
