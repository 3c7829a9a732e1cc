/** The exit codes of the command line. */
export const EXIT = {
  ok: 0,
  /** The package breaks a rule. */
  rejected: 1,
  /** Nothing was validated: wrong usage, an unreadable file, an unavailable server. */
  couldNotRun: 2,
} as const;

/** The package is rejected for a reason without a problem code, such as its total size. The message is for people. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError';
}

/** The command could not run. The message says why and what to do. */
export class CannotRunError extends Error {
  override readonly name = 'CannotRunError';
}

/** A server refused a call, or did not answer it. */
export class ServerError extends CannotRunError {
  /** Whether the same call may succeed later: no answer, too many requests, an internal error. */
  readonly isTemporary: boolean;
  /** Null: no answer. */
  readonly status: number | null;
  /** How long the server wants no other call; 0 where it does not say. */
  readonly retryAfterSeconds: number;

  constructor(status: number | null, message: string, retryAfterSeconds = 0) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isTemporary = status === null || status === 429 || status >= 500;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EEXIST: 'it already exists',
  EISDIR: 'it is a directory',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
};

/** The reason of a system error, in a few words; `fetch` gives it as the cause of another. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  return REASONS[code] ?? cause.message;
}

/** The error of a call with `redirect: 'error'` that got no answer. `callee` is the subject of its message. */
export function unanswered(callee: string, error: unknown): CannotRunError {
  const reason = reasonOf(error);
  // It would redirect each retry too.
  if (reason === 'unexpected redirect')
    return new CannotRunError(`${callee} redirects. Use the address that it redirects to.`);
  return new ServerError(null, `${callee} does not answer: ${reason || 'the connection failed'}.`);
}
