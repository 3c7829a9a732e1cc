import { expect, test } from 'vitest';
import {
  makeCursor,
  mapPage,
  pageAnswer,
  pageRequest,
  STANDARD_LIMIT,
  type ListCall,
} from '../../../../api/http/pagination.ts';

const CURSOR = {
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
};
const encode = (content: string) => Buffer.from(content).toString('base64url');
/** A call of the list at a path. */
const call = (query: ListCall['query'] = {}, path = '/api/v8.0/alerts') =>
  ({ request: { baseUrl: '', path }, query }) satisfies ListCall;
const withMark = (position: string) => makeCursor(call(), position);

test('a query without limit and cursor is the first page of the standard size', () =>
  expect(pageRequest(call())).toEqual({ limit: STANDARD_LIMIT, after: null }));

test('the nextCursor of a page leads to the position after its last item', () => {
  const page = pageAnswer(
    call(),
    mapPage({ rows: [1, 2], next: CURSOR }, (row) => row * 10),
  );
  expect(page.items).toEqual([10, 20]);
  expect(pageRequest(call({ limit: 2, cursor: page.nextCursor ?? '' }))).toEqual({
    limit: 2,
    after: CURSOR,
  });
});

test('the last page has no nextCursor', () =>
  expect(pageAnswer(call(), { rows: [], next: null })).toEqual({ items: [], nextCursor: null }));

test.each([
  ['empty', ''],
  ['no Base64', '%%%'],
  ['another text', encode('hello')],
  ['without the mark of its list', encode(`${CURSOR.createdAt.toISOString()} ${CURSOR.id}`)],
  ['a date that does not exist', withMark(`2026-13-45T00:00:00.000Z ${CURSOR.id}`)],
  ['a date in another form', withMark(`2026-01-02 ${CURSOR.id}`)],
  ['no ID', withMark('2026-01-02T03:04:05.678Z ')],
  ['text after the ID', withMark(`2026-01-02T03:04:05.678Z ${CURSOR.id}' or 1=1`)],
])('a cursor that is %s is 400', (_what, cursor) =>
  expect(() => pageRequest(call({ cursor }))).toThrow(
    expect.objectContaining({ code: 'request-invalid', message: expect.stringContaining('nextCursor') }),
  ),
);

test('a cursor is good for its list with its filters only, with another limit and in any letter case of the path', () => {
  const filters = { status: 'firing', moduleId: CURSOR.id };
  const cursor = pageAnswer(call(filters), { rows: [1], next: CURSOR }).nextCursor ?? '';
  const good = [call({ ...filters, cursor, limit: 7 }), call({ cursor, ...filters }, '/api/v8.0/ALERTS/')];
  for (const each of good) expect(pageRequest(each).after).toEqual(CURSOR);
  const others = [
    call({ cursor }),
    call({ ...filters, status: 'resolved', cursor }),
    call({ ...filters, cursor }, '/api/v8.0/alertRules'),
  ];
  for (const each of others)
    expect(() => pageRequest(each)).toThrow(expect.objectContaining({ code: 'request-invalid' }));
});
