import { codeOf } from '../process/error-code.ts';

/** A lock was not free in time. */
const LOCK_NOT_AVAILABLE = '55P03';
/** A statement took too long. */
const CANCELLED = '57014';

/** Whether PostgreSQL ended a statement because of the times of its session; another try may succeed. */
export function isOutOfTime(error: unknown): boolean {
  return hasCode(error, [LOCK_NOT_AVAILABLE, CANCELLED]);
}

/** Whether PostgreSQL ended a statement because it waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, [LOCK_NOT_AVAILABLE]);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (codes.includes(codeOf(error) ?? '')) return true;
  // Objection wraps the driver's errors.
  return error instanceof Error && 'nativeError' in error && hasCode(error.nativeError, codes);
}
