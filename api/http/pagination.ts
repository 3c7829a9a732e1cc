import type { Request } from 'express';
import type { Cursor, Page, PageRequest } from '../../shared/db/keyset-page.ts';
import { ProblemError } from './problem.ts';

/** Items of a page that names no `limit`. */
export const STANDARD_LIMIT = 50;
/** Most items of a page. */
export const MAX_LIMIT = 200;

/** `limit` and `cursor` of a list's address. @throws ProblemError 400 for one that is not of its form. */
export function pageRequest(request: Request): PageRequest {
  return { limit: limitQuery(request), after: cursorOf(request.query['cursor']) };
}

/** The answer of a list. */
export function pageAnswer<Row, Item>(page: Page<Row>, toItem: (row: Row) => Item) {
  return { items: page.rows.map(toItem), nextCursor: page.next === null ? null : encodeCursor(page.next) };
}

/** `limit` of a list's address. @throws ProblemError 400 where it is no number in its bounds. */
export function limitQuery(request: Request): number {
  const value = request.query['limit'];
  if (value === undefined) return STANDARD_LIMIT;
  const limit = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new ProblemError('request-invalid', `limit must be a whole number from 1 to ${MAX_LIMIT}.`);
}

function encodeCursor({ createdAt, id }: Cursor): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');
}

function cursorOf(value: unknown): Cursor | null {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : '';
  const [, at, id] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ??
    [];
  const createdAt = new Date(at ?? Number.NaN);
  if (id === undefined || Number.isNaN(createdAt.getTime())) {
    throw new ProblemError('request-invalid', 'cursor must be the nextCursor of an earlier page.');
  }
  return { createdAt, id };
}
