import { once } from 'node:events';
import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Listens at a port, or at any for 0. A server of another test may have the port for a while after it was given up. */
export async function listenAt(server: Server, port: number, address = '127.0.0.1'): Promise<void> {
  for (;;) {
    try {
      await once(server.listen(port, address), 'listening');
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      await sleep(50);
    }
  }
}
