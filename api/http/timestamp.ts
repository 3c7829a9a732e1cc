/** A timestamp as answers show it: ISO 8601 with the offset +00:00. */
export function timestamp(date: Date): string;
export function timestamp(date: Date | null): string | null;
export function timestamp(date: Date | null): string | null {
  return date === null ? null : date.toISOString().replace('Z', '+00:00');
}
