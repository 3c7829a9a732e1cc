/** The header Retry-After in seconds: a number, or a date (RFC 9110, section 10.2.3); 0 where it is neither. */
export function retryAfterSeconds(value: unknown): number {
  if (typeof value !== 'string') return 0;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
