import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { REQUEST_PROBLEMS } from './request-problem-codes.ts';

/**
 * Answers malformed HTTP, such as a header with control characters or headers that never end, with a problem like
 * every other refusal; Node itself would send an empty 400 or 408. There is no request object to read from.
 */
export function answerUnreadableRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(problemMessage(error.code));
  });
}

function problemMessage(cause: string | undefined): string {
  const code = cause === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-too-slow' : 'request-invalid';
  const { status, title } = REQUEST_PROBLEMS[code];
  const traceId = randomBytes(16).toString('hex');
  const detail =
    code === 'request-too-slow'
      ? 'The request line and the headers did not arrive in time.'
      : 'The request line or the headers cannot be read as HTTP/1.1.';
  const body = JSON.stringify({ type: `/problems/${code}`, title, status, detail, instance: '*', traceId });
  return [
    `HTTP/1.1 ${status} ${code === 'request-invalid' ? 'Bad Request' : 'Request Timeout'}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    'X-Content-Type-Options: nosniff',
    `X-Trace-Id: ${traceId}`,
    '',
    body,
  ].join('\r\n');
}
