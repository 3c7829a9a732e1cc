import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
/** A request with one of these came through a proxy: the client is on another machine, whatever the socket's address. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Whether a request may read metrics. Where a token is set, every request must have it; without one only this
 * machine may read, and not through a proxy.
 */
export function mayReadMetrics(request: IncomingMessage, token: string | null): boolean {
  if (token !== null) return isBearer(request.headers.authorization, token);
  const isForwarded = FORWARDED.some((name) => request.headers[name] !== undefined);
  return !isForwarded && LOOPBACK.test(request.socket.remoteAddress ?? '');
}

/** Hashing first makes both the same length, so that the time of comparing reveals nothing. */
function isBearer(header: string | undefined, token: string): boolean {
  const shown = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token));
}
