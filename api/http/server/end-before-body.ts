import type { Request, Response } from 'express';
import { FairRate } from '../../../shared/limits/fair-rate.ts';

/** The time for which the body of a refused request is still read. */
const LINGER_MS = 2_000;
/** After each piece of it: reading costs processor time, and a client that has read the answer sends no more. */
const LINGER_PAUSE_MS = 5;

/** Each piece is new memory, and thus garbage collection that everybody waits for: an address has its part of it. */
const discarded = new FairRate({
  what: 'bytes of refused bodies',
  perSecond: 256 * 1024,
  keptSeconds: 64,
});

/** Answers that were written whole before the request's body had arrived. */
const writtenBeforeBody = new WeakSet<Response>();

/** Whether all of an answer was written, even if the client disconnected before the rest of its request was read. */
export function isWritten(response: Response): boolean {
  return response.writableFinished || writtenBeforeBody.has(response);
}

/**
 * Ends an answer, also while the client is still sending the request's body. Closing at once would reset the
 * connection, and the client would lose the answer: so the answer is written whole, the rest of the body is read and
 * discarded slowly for a short time, and then the connection is closed. Of an address that sends many refused bodies less
 * is read; its clients have the same time to read the answer.
 */
export function endBeforeBody(request: Request, response: Response, body: string): void {
  if (request.complete || request.method === 'HEAD' || !hasBody(request)) {
    response.send(body);
    return;
  }
  response.set({ Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) });
  if (!response.destroyed) writtenBeforeBody.add(response);
  response.write(body);
  const address = request.ip ?? '';
  let pause: NodeJS.Timeout;
  const readOn = (pauseMs: number) => {
    pause = setTimeout(() => request.resume(), pauseMs + discarded.waitMs(address));
  };
  const end = () => {
    clearTimeout(pause);
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end);
  request.on('data', (piece: Buffer) => {
    discarded.spend(address, piece.length);
    request.pause();
    readOn(LINGER_PAUSE_MS);
  });
  request.unpipe();
  request.pause();
  readOn(0);
}

/** Whether the request has a body, by its headers. */
export function hasBody(request: Request): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  );
}
