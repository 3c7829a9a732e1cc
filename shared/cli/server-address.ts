import { CannotRunError } from './exit-codes.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether secrets may be sent to an address: by https, or on this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** A server refused a call, or did not answer it. */
export class ServerError extends CannotRunError {
  /** Whether the same call may succeed later: no answer, too many requests, an internal error. */
  readonly isTemporary: boolean;
  /** Null: no answer. */
  readonly status: number | null;

  constructor(status: number | null, message: string) {
    super(message);
    this.status = status;
    this.isTemporary = status === null || status === 429 || status >= 500;
  }
}
