import { once } from 'node:events';
import http from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { endBeforeBody } from '../../../api/http/server/end-before-body.ts';

const MIB = 1024 * 1024;
const CLIENTS = 16;
/** The bytes that an address may send at once, and then in each second, shared by all its requests. */
const MOST_BYTES = 20 * MIB;
const PIECE = Buffer.alloc(64 * 1024);

/** Sends a body that does not end, whatever is answered; resolves with the answer when the server closes the connection. */
async function sendEndlessly(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${1024 * MIB}\r\n\r\n`);
  const write = () => {
    let hasRoom = true;
    while (hasRoom && !socket.destroyed) hasRoom = socket.write(PIECE);
  };
  let answer = '';
  socket
    .on('drain', write)
    .on('error', () => undefined)
    .on('data', (piece) => (answer += piece.toString()));
  write();
  await new Promise((resolve) => socket.once('close', resolve));
  return answer.split('\r\n\r\n').at(1) ?? '';
}

test('of the refused bodies of one address the server reads a part, and each answer arrives', async () => {
  const app = express();
  app.use((request, response) => endBeforeBody(request, response, 'refused'));
  const sockets: Socket[] = [];
  const server = http.createServer(app).on('connection', (socket) => sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const answers = await Promise.all(Array.from({ length: CLIENTS }, () => sendEndlessly(port)));
  server.close();
  expect(answers).toEqual(Array.from({ length: CLIENTS }, () => 'refused'));
  expect(sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)).toBeLessThan(MOST_BYTES);
});
