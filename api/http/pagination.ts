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

/** The requested page of a query. @throws ProblemError 400 for an invalid cursor. */
export function pageRequest({
  limit = STANDARD_LIMIT,
  cursor,
}: {
  limit?: number;
  cursor?: string;
}): PageRequest {
  return { limit, after: cursor === undefined ? null : decodeCursor(cursor) };
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
export function pageAnswer<Item>({ rows, next }: Page<Item>): PageBody<Item> {
  return { items: rows, nextCursor: next === null ? null : encodeCursor(next) };
}

/** A page of other items, made of its rows. */
export function mapPage<Row, Item>({ rows, next }: Page<Row>, toItem: (row: Row) => Item): Page<Item> {
  return { rows: rows.map(toItem), next };
}

function encodeCursor({ createdAt, id }: Cursor): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');
}

function decodeCursor(cursor: string): Cursor {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, at, id] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ??
    [];
  const createdAt = new Date(at ?? Number.NaN);
  if (id === undefined || Number.isNaN(createdAt.getTime())) throw wrongCursor();
  return { createdAt, id };
}

/** The refusal of an invalid cursor. */
export function wrongCursor(): ProblemError {
  return new ProblemError('request-invalid', 'cursor must be the nextCursor of an earlier page.');
}
