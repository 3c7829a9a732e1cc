import type { Request } from 'express';
import { ProblemError } from './problem.ts';

const WINDOW_SECONDS = 60;
const MIN_BYTES_PER_SECOND = 16 * 1024;

/**
 * Fails a body that arrives with less than 16 KiB/s over a minute. There is no limit on the whole: a large package
 * on a slow line may take hours. Time in which the server is the slow side, with bytes waiting to be read, does not
 * count. Returns the function that stops watching.
 */
export function watchPace(request: Request, onTooSlow: (problem: ProblemError) => void): () => void {
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
    if (socket.bytesRead - first >= WINDOW_SECONDS * MIN_BYTES_PER_SECOND) return;
    clearInterval(timer);
    onTooSlow(
      new ProblemError(
        'request-too-slow',
        'The body arrived too slowly: under 16 KiB/s for a minute. Send it again.',
      ),
    );
  }, 1_000);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
