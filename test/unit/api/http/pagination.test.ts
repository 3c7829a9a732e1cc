import { expect, test } from 'vitest';
import { mapPage, pageAnswer, pageRequest, STANDARD_LIMIT } from '../../../../api/http/pagination.ts';

const CURSOR = {
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
};
const encode = (content: string) => Buffer.from(content).toString('base64url');

test('a query without limit and cursor is the first page of the standard size', () =>
  expect(pageRequest({})).toEqual({ limit: STANDARD_LIMIT, after: null }));

test('the nextCursor of a page leads to the position after its last item', () => {
  const page = pageAnswer(mapPage({ rows: [1, 2], next: CURSOR }, (row) => row * 10));
  expect(page.items).toEqual([10, 20]);
  expect(pageRequest({ limit: 2, cursor: page.nextCursor ?? '' })).toEqual({ limit: 2, after: CURSOR });
});

test('the last page has no nextCursor', () =>
  expect(pageAnswer({ rows: [], next: null })).toEqual({ items: [], nextCursor: null }));

test.each([
  ['empty', ''],
  ['no Base64', '%%%'],
  ['another text', encode('hello')],
  ['a date that does not exist', encode(`2026-13-45T00:00:00.000Z ${CURSOR.id}`)],
  ['a date in another form', encode(`2026-01-02 ${CURSOR.id}`)],
  ['no ID', encode('2026-01-02T03:04:05.678Z ')],
  ['text after the ID', encode(`2026-01-02T03:04:05.678Z ${CURSOR.id}' or 1=1`)],
])('a cursor that is %s is 400', (_what, cursor) =>
  expect(() => pageRequest({ cursor })).toThrow(
    expect.objectContaining({ code: 'request-invalid', message: expect.stringContaining('nextCursor') }),
  ),
);
