import { hash } from 'node:crypto';
import type { Request } from 'express';
import { Type, type Static, type TObject } from 'typebox';
import type { Cursor, Page, PageRequest } from '../../shared/db/keyset-page.ts';
import { presenterOf, type Answer, type Presentable } from './answer.ts';
import { ProblemError } from './problem.ts';
import { NAME, keywordsOf, pageOf, text } from './schema.ts';

/** Items of a page if the query has no `limit`. */
export const STANDARD_LIMIT = 50;
/** The largest `limit` of a query. */
export const MAX_LIMIT = 200;

/** `limit` and `cursor` of a list's query. */
export const PAGE_QUERY = {
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: STANDARD_LIMIT,
    description: 'The largest number of items to return.',
  }),
  cursor: text('The `nextCursor` of the previous page.'),
};

/** A call of a list: its path and its filters. */
export interface ListCall {
  readonly request: Pick<Request, 'baseUrl' | 'path'>;
  readonly query: {
    readonly limit?: number;
    readonly cursor?: string;
    readonly [filter: string]: unknown;
  };
}

/** The requested page of a list. @throws ProblemError 400 for an invalid cursor. */
export function pageRequest(call: ListCall): PageRequest {
  const position = openCursor(call);
  return {
    limit: call.query.limit ?? STANDARD_LIMIT,
    after: position === null ? null : decodePosition(position),
  };
}

/** The body of a list's answer. */
export interface PageBody<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** An answer that is a page of rows. */
export type PageAnswer<Row> = Answer<PageBody<Row>>;

/**
 * The answer with a page of these items, in words such as `alert rules`; `brief` says it where the endpoint is clear. Its
 * schema has the name of the items, unless it gets another one.
 */
export function page<Item extends TObject>(
  item: Item,
  words: string,
  { brief = words, name = `${String(keywordsOf(item)[NAME])}Page` } = {},
): PageAnswer<Presentable<Static<Item>>> {
  const schema = pageOf(name, item, `A page of ${words}.`);
  const present = presenterOf(item);
  return {
    description: `A page of ${brief}.`,
    forms: { 'application/json': { schema } },
    headers: [],
    present: ({ items, nextCursor }) => ({ items: items.map(present), nextCursor }),
  };
}

/** The body of the answer with this page. */
export function pageAnswer<Item>(call: ListCall, { rows, next }: Page<Item>): PageBody<Item> {
  return { items: rows, nextCursor: next === null ? null : makeCursor(call, encodePosition(next)) };
}

/** The body of the answer with these rows, of which one more than the limit shows that there is a next page. */
export function limitedAnswer<Row>(
  call: ListCall,
  rows: readonly Row[],
  positionOf: (row: Row) => string,
): PageBody<Row> {
  const items = rows.slice(0, call.query.limit ?? STANDARD_LIMIT);
  const last = items.length < rows.length ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : makeCursor(call, positionOf(last)) };
}

/** The body of the answer with the requested page of a list that is at hand as a whole. */
export function sliceAnswer<Row>(call: ListCall, rows: readonly Row[]): PageBody<Row> {
  const position = openCursor(call) ?? '0';
  if (!/^\d{1,9}$/.test(position)) throw wrongCursor();
  const start = Number(position);
  const end = start + (call.query.limit ?? STANDARD_LIMIT);
  return {
    items: rows.slice(start, end),
    nextCursor: end < rows.length ? makeCursor(call, String(end)) : null,
  };
}

/** A page of other items, made of its rows. */
export function mapPage<Row, Item>({ rows, next }: Page<Row>, toItem: (row: Row) => Item): Page<Item> {
  return { rows: rows.map(toItem), next };
}

/** The cursor of a position, good for the list of this call with its filters. */
export function makeCursor(call: ListCall, position: string): string {
  return Buffer.from(`${markOf(call)} ${position}`).toString('base64url');
}

/** The position in the cursor of a call; null without one. @throws ProblemError 400 for the cursor of another list */
export function openCursor(call: ListCall): string | null {
  const { cursor } = call.query;
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  const mark = `${markOf(call)} `;
  if (text.startsWith(mark)) return text.slice(mark.length);
  throw wrongCursor();
}

const MARK_LENGTH = 8;

/** Differs for each list and its filters. */
function markOf({ request, query }: ListCall): string {
  const path = `${request.baseUrl}${request.path}`.toLowerCase().replace(/\/$/, '');
  const filters = Object.entries(query)
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([path, filters]), 'base64url').slice(0, MARK_LENGTH);
}

function encodePosition({ createdAt, id }: Cursor): string {
  return `${createdAt.toISOString()} ${id}`;
}

function decodePosition(text: string): Cursor {
  const [, at, id] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ??
    [];
  const createdAt = new Date(at ?? Number.NaN);
  if (id === undefined || Number.isNaN(createdAt.getTime())) throw wrongCursor();
  return { createdAt, id };
}

/** The refusal of an invalid cursor. */
export function wrongCursor(): ProblemError {
  return new ProblemError(
    'request-invalid',
    'cursor must be the nextCursor of an earlier page of this list, with the same filters.',
  );
}
