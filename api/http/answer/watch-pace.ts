import type { Request, Response } from 'express';
import type { Config } from '../../../shared/config/config.ts';
import type { Log } from '../../../shared/telemetry/log.ts';
import { ProblemError } from '../problem.ts';

const WINDOW_SECONDS = 60;
/** The least pace of a body, unless its endpoint asks for more. */
export const LEAST_BYTES_PER_SECOND = 16 * 1024;

/**
 * Fails a body that arrives with less than 16 KiB/s, or what is required at the time, over a minute. There is no limit on the whole: a large package
 * on a slow line may take hours. Time in which the server is the slow side, with bytes waiting to be read, does not
 * count. Returns the function that stops watching.
 */
export function watchPace(
  request: Request,
  onTooSlow: (problem: ProblemError) => void,
  leastBytesPerSecond = () => LEAST_BYTES_PER_SECOND,
): () => void {
  const { socket } = request;
  const seen: number[] = [];
  const timer = setInterval(() => {
    if (request.readableEnded || request.isPaused() || request.readableLength > 0) {
      seen.length = 0;
      return;
    }
    seen.push(socket.bytesRead);
    if (seen.length <= WINDOW_SECONDS) return;
    const first = seen.shift() ?? 0;
    const least = leastBytesPerSecond();
    if (socket.bytesRead - first >= WINDOW_SECONDS * least) return;
    clearInterval(timer);
    onTooSlow(
      new ProblemError(
        'request-too-slow',
        `The body arrived too slowly: under ${least / 1_024} KiB/s for a minute. Send it again.`,
      ),
    );
  }, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whether an answer waits for its client: bytes are left that the connection does not take yet. */
export function isClientSlow(response: Response): boolean {
  return response.writableNeedDrain || response.writableEnded;
}

/**
 * Cuts an answer off. If its connection were closed instead, a client of HTTP/1.0, as many proxies are, would take the
 * part for the whole.
 */
export function resetConnection(response: Response): void {
  response.socket?.resetAndDestroy();
  response.destroy();
}

/** Disconnects the client of a long answer that reads too slowly. Returns the function that stops watching. */
export function disconnectSlowReader(
  { config, log }: { readonly config: Config; readonly log: Log },
  response: Response,
): () => void {
  return watchAnswerPace(response, config.streams, () => {
    log.info('slow reader disconnected');
    resetConnection(response);
  });
}

/**
 * Ends a long answer whose client reads less than the minimum. Only seconds in which the server waits for the client
 * count. Returns the function that stops watching.
 */
export function watchAnswerPace(
  response: Response,
  { minAnswerBytesPerSecond, answerPaceSeconds }: Config['streams'],
  onTooSlow: () => void,
): () => void {
  // A pipelined answer gets its connection when the one before it has ended.
  const sentBytes = () =>
    response.socket === null ? null : response.socket.bytesWritten - response.socket.writableLength;
  const seconds: number[] = [];
  let before = sentBytes();
  const timer = setInterval(() => {
    const now = sentBytes();
    if (now !== null && before !== null && isClientSlow(response)) seconds.push(now - before);
    before = now;
    if (seconds.length < answerPaceSeconds) return;
    const sum = seconds.reduce((total, each) => total + each, 0);
    seconds.shift();
    if (sum >= answerPaceSeconds * minAnswerBytesPerSecond) return;
    clearInterval(timer);
    onTooSlow();
  }, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}
