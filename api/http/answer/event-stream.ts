import { once } from 'node:events';
import type { Response } from 'express';
import { currentOwner } from '../../../shared/limits/owner.ts';
import type { ApiContext } from '../../context.ts';
import { disconnectSlowReader } from './watch-pace.ts';

/** An event stream without events sends a comment this often. */
export const COMMENT_MS = 15_000;

/** One server-sent event; `data` is sent as JSON. */
interface ServerSentEvent {
  readonly id: string | number;
  readonly event: string;
  readonly data: object;
}

/** An open stream of events. */
export interface EventStream {
  /** Aborts when the stream must end. */
  readonly signal: AbortSignal;
  /** Ends the stream. */
  readonly end: () => void;
  /**
   * Sends events in the turn of the request's owner: many streams may follow one thing, and not all write at once. Waits
   * while the client has too much left to read: what is sent next is read from the database only then.
   */
  readonly send: (events: readonly ServerSentEvent[]) => Promise<void>;
}

/** Aborts when the client hangs up or the time is over; `stop` frees what it uses. */
export function limitedTime(response: Response, maxMs: number) {
  const over = new AbortController();
  const abort = () => {
    // Without a reason, an error with a stack trace would be made each time.
    over.abort(null);
  };
  const timer = setTimeout(abort, maxMs);
  // A client that has hung up already does not close again.
  if (response.destroyed) abort();
  else response.once('close', abort);
  const stop = () => {
    clearTimeout(timer);
    response.off('close', abort);
  };
  return { signal: over.signal, abort, stop };
}

/** Waits until the client has read what waits for it, or the stream must end, as it does when the client hangs up. */
async function awaitDrain(response: Response, signal: AbortSignal): Promise<void> {
  if (response.writableNeedDrain) await once(response, 'drain', { signal }).catch(() => undefined);
}

/**
 * Answers with server-sent events, which `run` sends, and with comments between them. The stream ends at the latest after
 * the minutes of `maxEventStreamSeconds`, or when `untilMs` of it are over: the client then reconnects with
 * `Last-Event-ID`, and is authorized again. A client that reads too slowly is disconnected; silence does not count.
 */
export async function sendEvents(
  api: Pick<ApiContext, 'admission' | 'config' | 'log'>,
  response: Response,
  { untilMs = Infinity, comment = () => ': still here\n\n' },
  run: (stream: EventStream) => Promise<void>,
): Promise<void> {
  if (response.destroyed) return;
  response.status(200).setHeader('Content-Type', 'text/event-stream');
  response.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  const { admission, config } = api;
  const comments = setInterval(() => {
    if (!response.writableNeedDrain) response.write(comment());
  }, COMMENT_MS);
  // The last events may wait for the client too.
  response.once('close', disconnectSlowReader(api, response));
  const time = limitedTime(response, Math.min(config.streams.maxEventStreamSeconds * 1_000, untilMs));
  const send = async (events: readonly ServerSentEvent[]) => {
    await admission.turns.awaitTurn(currentOwner());
    for (const { id, event, data } of events)
      response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    await awaitDrain(response, time.signal);
  };
  try {
    await run({ signal: time.signal, end: time.abort, send });
  } finally {
    clearInterval(comments);
    time.stop();
    response.end();
  }
}
