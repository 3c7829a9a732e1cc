import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drain, serve } from '../../api/http/server/serve.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** As in production, but shorter. */
const TIMES = { headersMs: 300, keepAliveMs: 300, idleMs: 1_000, checkMs: 50 };
/** Far more than the buffers of a connection, so that the server has to wait for its reader. */
const ANSWERS = 500;

let app: TestApp;
let serving: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  serving = await serve(app.api, TIMES);
});

afterAll(async () => {
  await drain(serving, app.api, { delayMs: 0, finishMs: 1_000 });
  await app.stop();
});

/** The answer to these bytes until the server ends the connection; the client does not end it. */
async function answerTo(bytes: string): Promise<string> {
  const socket = net.connect(serving.port, '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return answer;
}

test.each([
  ['headers that never end', 'GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: a'],
  ['a connection without any bytes', ''],
])('%s: 408, and the connection is closed', async (_, bytes) => {
  const answer = await answerTo(bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as unknown;
  expect(body).toMatchObject({
    type: '/problems/request-too-slow',
    status: 408,
    detail: 'The request line and the headers did not arrive in time.',
  });
});

test('a connection that is idle after its answer is closed', async () => {
  expect(await answerTo('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test('a client that does not read its answer is disconnected', async () => {
  const connections = () =>
    new Promise<number>((resolve) => {
      serving.servers[0]?.server.getConnections((_error, count) => resolve(count));
    });
  await expect.poll(connections).toBe(0);
  const socket = net.connect(serving.port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(ANSWERS));
  await expect.poll(connections).toBe(1);
  await expect.poll(connections, { timeout: 20_000 }).toBe(0);
  socket.destroy();
});
