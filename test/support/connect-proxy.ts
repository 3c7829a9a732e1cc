import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An HTTP proxy that notes what it is asked for; a port instead of a status connects to this machine. */
export async function startConnectProxy(answer: { readonly status: number } | { readonly port: number }) {
  const asked: { target: string; authorization: string | undefined }[] = [];
  const server = createServer().on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push({
      target: request.url ?? '',
      authorization: request.headers['proxy-authorization'],
    });
    if ('status' in answer) {
      socket.end(`HTTP/1.1 ${answer.status} No\r\n\r\n`);
      return;
    }
    const inner = connect(answer.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(inner).pipe(socket);
    });
    for (const each of [inner, socket]) each.on('error', () => inner.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
