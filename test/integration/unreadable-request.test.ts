import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

/** The service's answer to these bytes. */
async function send(bytes: string): Promise<string> {
  const { hostname, port } = new URL(app.url);
  const socket = net.connect(Number(port), hostname);
  socket.end(bytes, 'latin1');
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return answer;
}

const MALFORMED = 'The request line or the headers cannot be read as HTTP/1.1.';
const TOO_LONG = 'The request line and the headers must be smaller than 16 KiB together.';
const LONG = 'a'.repeat(20_000);

test.each([
  [
    'a header with a control character',
    'GET /livez HTTP/1.1\r\nHost: x\r\nIf-None-Match: a\x0cb\r\n\r\n',
    MALFORMED,
  ],
  ['an invalid request line', 'nonsense\r\n\r\n', MALFORMED],
  ['an address that is too long', `GET /${LONG} HTTP/1.1\r\nHost: x\r\n\r\n`, TOO_LONG],
  ['headers that are too long', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${LONG}\r\n\r\n`, TOO_LONG],
])('%s is answered with a problem document that names the reason', async (_, bytes, detail) => {
  const answer = await send(bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\nX-Trace-Id: [0-9a-f]{32}\r\n/);
  const body = answer.slice(answer.indexOf('\r\n\r\n'));
  expect(JSON.parse(body)).toMatchObject({ type: '/problems/request-invalid', status: 400, detail });
});
